//! A run whose daemon is killed at random times while its model makes steps.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use scorel_client::ClientError;
use scorel_proto::{
    ErrorCode, Event, FoldedRun, ResumeRun, ResumeRunParams, RunId, RunSpent, RunStateCause,
    SessionView,
};
use scorel_testkit::{
    CheckedLog, RecordedRequest, ResponseGate, ScriptedChat, ScriptedResponse, SeededDice,
};
use scorel_workflow::RunDocument;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use super::scene::RunScene;
use crate::requests::in_time;
use crate::under_test::{Watch, connect, session};

/// The most calls of the model that a daemon lives for.
const MOST_CALLS: usize = 4;

/// The longest life of a daemon behind them.
const LIFETIME: Duration = Duration::from_millis(80);

/// Kills of one run.
const KILLS: usize = 50;

/// Kills after which another session takes the run.
const KILLS_OF_A_SESSION: usize = 5;

/// Runs that go on at the same time.
const AT_ONCE: usize = 3;

/// The nodes between which the run goes to and fro.
const STEP: &str =
    "---\nschemaVersion: '1.1'\nnodeId: NODE\ntype: step\nmaxVisits: 100000\n---\nDo it.\n";

struct KilledRun {
    scene: RunScene,
    dice: SeededDice,
    run: RunId,
    model: Arc<SteppingModel>,
    /// Completed nodes, as they were found last.
    completed: Vec<String>,
}

/// A model that makes steps for as long as it is asked.
#[derive(Debug)]
struct SteppingModel {
    /// The directory of all runs, which has one.
    runs: PathBuf,
    dice: Mutex<SeededDice>,
    /// Answers wait here.
    gate: Mutex<ResponseGate>,
    /// From here on it goes to the end.
    is_over: AtomicBool,
}

/// The document of the run, which must always be one.
fn document(path: &Path) -> RunDocument {
    let text = fs::read_to_string(path).unwrap();
    RunDocument::parse(text.as_str()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

impl SteppingModel {
    fn document(&self) -> RunDocument {
        let run = fs::read_dir(&self.runs).unwrap().next().unwrap().unwrap();
        document(&run.path().join("state/workflow.md"))
    }

    /// One step or two, or the end of a turn in which it has made one.
    fn answer(&self, request: &RecordedRequest) -> ScriptedResponse {
        let gate = self.gate.lock().unwrap().clone();
        let mut dice = self.dice.lock().unwrap();
        let document = self.document();
        let state = document.state();
        let last = request.json()["messages"]
            .as_array()
            .unwrap()
            .last()
            .cloned();
        let has_stepped = last.is_some_and(|it| it["role"] == "tool");
        let is_over = self.is_over.load(Ordering::Acquire);
        let at_end = state.steps_completed.last().is_some_and(|it| it == "end");
        if at_end || has_stepped && !is_over && dice.chance(20) {
            return ScriptedChat::default()
                .wait(&gate)
                .text("Good.")
                .finish("stop")
                .usage(10, 5)
                .into();
        }
        let sha256 = format!("{:x}", Sha256::digest(document.text().as_bytes()));
        let mut chat = ScriptedChat::default().wait(&gate);
        let mut node = match state.current_node_id.as_str() {
            "" => "ask",
            node => node,
        };
        let count = if is_over || dice.chance(60) { 1 } else { 2 };
        for step in 0..count {
            let to = match node {
                "ask" => Some("write"),
                "write" if is_over => Some("end"),
                "write" => Some("ask"),
                _ => None,
            };
            let mut call = json!({
                "path": "@state/workflow.md", "operation": "updateFrontmatter",
                "update": {"stepsCompleted": {"append": [node]}},
            });
            if step == 0 {
                call["ifMatchSha256"] = json!(sha256);
            }
            if let Some(to) = to {
                call["update"]["currentNodeId"] = json!({"set": to});
            }
            let id = format!("call_{}_{step}", state.steps_completed.len());
            chat = chat.tool_call(&id, "fs_apply_patch", &call.to_string());
            node = to.unwrap_or(node);
        }
        chat.finish("tool_calls").usage(10, 5).into()
    }
}

/// The records of the run in the logs of all sessions.
#[derive(Debug, Default)]
struct Recorded {
    /// The completed nodes, one for each transition that is recorded.
    completed: Vec<String>,
    /// Those of results whose transition is not recorded yet.
    due: Vec<String>,
}

impl KilledRun {
    async fn start(mut dice: SeededDice) -> Self {
        let scene = RunScene::new().await;
        for node in ["ask", "write"] {
            let file = scene.installed().join(format!("{node}.md"));
            fs::write(file, STEP.replace("NODE", node)).unwrap();
        }
        let model = Arc::new(SteppingModel {
            runs: scene.daemon.home().join("runs"),
            dice: Mutex::new(dice.fork()),
            gate: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let answering = Arc::clone(&model);
        scene
            .model
            .answer_with(move |request| answering.answer(request));
        let mut params = scene.plan().await;
        params.autopilot = Some(true);
        let run = scene.start_with(&params).await.run_id;
        Self {
            scene,
            dice,
            run,
            model,
            completed: Vec::new(),
        }
    }

    /// Lets the run go on for a while, and kills its daemon.
    async fn live_and_die(&mut self, new_session: bool) {
        self.gate().open();
        let calls = self.dice.index(0..MOST_CALLS + 1);
        let lifetime = self.dice.time_up_to(LIFETIME);
        let model = &self.scene.model;
        let more = async {
            if calls == 0 {
                self.go_on(new_session).await;
            }
            model.wait_for_requests(usize::MAX).await;
        };
        if calls > 0 {
            in_time(self.go_on(new_session)).await;
            in_time(model.wait_for_requests(calls)).await;
        }
        let _over = timeout(lifetime, more).await;
        self.scene.daemon.kill().await;
        self.scene.model.take_requests();
        self.check_dead();
        self.forgive();
        *self.model.gate.lock().unwrap() = ResponseGate::new();
        self.scene.daemon.spawn().await;
        self.scene.client = connect(&self.scene.daemon.socket()).await;
        self.check_recovered().await;
    }

    fn gate(&self) -> ResponseGate {
        self.model.gate.lock().unwrap().clone()
    }

    /// Resumes the run, unless it goes on by itself.
    async fn go_on(&self, new_session: bool) {
        let params = ResumeRunParams {
            run_id: self.run,
            new_session: new_session.then_some(true),
            variables: None,
            input: None,
            command_id: None,
        };
        match self.scene.client.call::<ResumeRun>(&params).await {
            Ok(_) => {}
            Err(ClientError::Rpc(error)) if error.code == ErrorCode::Conflict => {}
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Makes the next daemon recover the session even if the last three were killed in the middle of that.
    fn forgive(&self) {
        for session in self.sessions() {
            match fs::remove_file(session.join("recovering")) {
                Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
                _ => {}
            }
        }
    }

    /// The directories of the sessions that have had the run.
    fn sessions(&self) -> Vec<PathBuf> {
        let sessions = fs::read_dir(self.scene.daemon.home().join("sessions")).unwrap();
        let paths = sessions.map(|it| it.unwrap().path());
        let mut paths: Vec<PathBuf> = paths
            .filter(|it| it.join("events.jsonl").exists())
            .collect();
        // Their names have the time.
        paths.sort();
        paths
    }

    fn logs(&self) -> Vec<CheckedLog> {
        let logs = self.sessions().into_iter();
        let logs = logs.map(|it| CheckedLog::read(&it.join("events.jsonl")));
        logs.map(|it| it.unwrap_or_else(|fault| panic!("{fault}")))
            .collect()
    }

    fn recorded(&self) -> Recorded {
        let mut recorded = Recorded::default();
        for log in self.logs() {
            let records = log.records().iter().map(|it| &it.value);
            let states = records.filter(|it| it["kind"] == "workflow.state");
            let states: Vec<&Value> = states.map(|it| &it["data"]).collect();
            for pair in states.windows(2) {
                assert_ne!(pair[0]["sha256"], pair[1]["sha256"], "recorded twice");
            }
            recorded
                .completed
                .extend(states.into_iter().filter_map(completed));
            let run: Option<&FoldedRun> = log.view().state.run.as_ref();
            let due = run.into_iter().flat_map(|run| &run.unrecorded);
            recorded.due.extend(due.filter_map(|it| it.from.clone()));
        }
        recorded
    }

    /// The document is a version that results tell of, or the one behind it, and no step is undone.
    fn check_dead(&mut self) {
        let document = document(&self.scene.document(self.run));
        let found = &document.state().steps_completed;
        assert!(found.starts_with(&self.completed), "a step is gone");
        let Recorded { completed, due } = self.recorded();
        let told = [completed, due].concat();
        assert!(found.starts_with(&told), "{told:?} {found:?}");
        assert!(found.len() <= told.len() + 1, "{told:?} {found:?}");
        self.completed.clone_from(found);
    }

    /// Each step is recorded once, and what the daemon says of the session is the fold of its log.
    async fn check_recovered(&self) {
        let found = self.scene.get(self.run).await;
        assert_eq!(found.run.problem, None);
        assert_eq!(found.steps_completed, self.completed);
        // Also of one that the daemon did not live to say that it has the run.
        let id = *found.sessions.last().unwrap();
        let told = session(&self.scene.client, id).await;
        let log = self.scene.daemon.log_path(&id.to_string());
        let log = CheckedLog::read(&log).unwrap_or_else(|fault| panic!("{fault}"));
        let mut view = SessionView::default();
        for record in log.records() {
            if record.seq <= told.last_persistent_seq.get() {
                view.apply(&Event::decode(&record.line).unwrap());
            }
        }
        assert_eq!(
            view.state.run.as_ref().map(|it| &it.shown),
            told.run.as_ref()
        );
        assert_eq!(view.leaf(), told.active_leaf_id);
        assert_eq!(view.state.usage, told.usage);
        assert_eq!(view.state.queue.version, told.queue_version);
        let recorded = self.recorded();
        assert_eq!(recorded.due, [""; 0]);
        assert_eq!(recorded.completed, self.completed);
    }

    /// Each session knows what the run has used before.
    fn check_spent(&self) {
        let mut spent = RunSpent::default();
        for log in self.logs() {
            let state = &log.view().state;
            if let Some(run) = &state.run {
                assert_eq!(run.spent_before, spent);
                spent = spent.plus(state.used());
            }
        }
        assert!(spent.tokens > 0);
    }

    /// Lets the run come to its end.
    async fn end(mut self) -> usize {
        self.model.is_over.store(true, Ordering::Release);
        self.gate().open();
        self.go_on(false).await;
        let session = self.scene.get(self.run).await.run.session_id.unwrap();
        let mut watch = Watch::from_start(&self.scene.client, session).await;
        while watch.next().await["data"]["to"] != "Completed" {}
        self.completed = document(&self.scene.document(self.run))
            .state()
            .steps_completed
            .clone();
        self.check_recovered().await;
        self.check_spent();
        let mut rounds = self.completed.chunks_exact(2);
        assert!(rounds.all(|it| it == ["ask", "write"]));
        assert_eq!(self.completed.last().unwrap(), "end");
        self.completed.len()
    }
}

/// The node that a recorded state says was completed.
fn completed(state: &Value) -> Option<String> {
    let by_model = [RunStateCause::Patch, RunStateCause::Recovered];
    let is_by_model = by_model.iter().any(|it| json!(it) == state["cause"]);
    let at_end = || (state["completed"] == true).then(|| "end".to_owned());
    let from = state["from"].as_str().map(str::to_owned);
    from.or_else(at_end).filter(|_| is_by_model)
}

/// Kills of all runs: a few, and 300 with `SCOREL_LONG`.
fn kills() -> usize {
    match std::env::var_os("SCOREL_LONG") {
        Some(_) => 300,
        None => 6,
    }
}

async fn killed(mut dice: SeededDice, kills: usize) -> usize {
    let mut run = KilledRun::start(dice.fork()).await;
    for kill in 1..=kills {
        run.live_and_die(kill % KILLS_OF_A_SESSION == 0).await;
    }
    run.end().await
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_random_times_a_run_makes_and_records_each_step_once() {
    let mut dice = SeededDice::for_test("random_kills");
    let all = kills();
    let runs = (0..all.div_ceil(KILLS)).map(|run| (dice.fork(), KILLS.min(all - run * KILLS)));
    let runs: Vec<_> = runs.collect();
    let runs = runs.into_iter();
    let killed = runs.map(|(dice, kills)| Box::pin(killed(dice, kills)));
    let steps = stream::iter(killed).buffer_unordered(AT_ONCE);
    let steps = steps.fold(0, async |all, it| all + it).await;
    println!("{all} kills, {steps} steps");
}
