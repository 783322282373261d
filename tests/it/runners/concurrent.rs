//! More sessions than there are places for processes.

use scorel_client::Connection;
use scorel_proto::{Phase, SessionId};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use tokio::time::timeout;

use super::double::{AcpDouble, process_of, script_runner};
use super::pipes::NamedPipe;
use super::processes::RunningProcess;
use super::{cancel, only, send_to};
use crate::under_test::{PATIENCE, Watch, connect, create_session, daemon, session};

/// Processes of runners at a time.
const PLACES: usize = 16;

/// Of these, those that wait for a turn.
const KEPT: usize = 4;

/// Tells that it has begun, and waits at a named pipe of its own: its prompt is the number.
const WAITING: &str = "read -r n; echo begun; read -r _ <\"go-$n\"; echo ended";

/// A session with what its runner waits for.
struct WaitingSession {
    id: SessionId,
    watch: Watch,
    go: NamedPipe,
}

struct Crowd {
    daemon: DaemonUnderTest,
    client: Connection,
    model: ModelServer,
}

impl Crowd {
    async fn start(config: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        let daemon = daemon(&model, config).await;
        let client = connect(&daemon.socket()).await;
        Self {
            daemon,
            client,
            model,
        }
    }

    async fn session(&self) -> (SessionId, Watch) {
        let id = create_session(&self.client, &self.daemon).await;
        let mut watch = Watch::from_start(&self.client, id).await;
        watch.until("sync_end").await;
        (id, watch)
    }

    /// Begins a turn of a runner that waits.
    async fn wait_in(&self, runner: &str, number: usize) -> WaitingSession {
        let (id, watch) = self.session().await;
        let go = NamedPipe::make(&self.daemon.project().join(format!("go-{number}")));
        send_to(&self.client, id, runner, &format!("{number}\n")).await;
        WaitingSession { id, watch, go }
    }

    /// A turn that needs no process, from its beginning to its end.
    async fn turn_of_the_engine(&self) {
        let (id, mut watch) = self.session().await;
        self.model
            .answer(ScriptedChat::default().text("hi").finish("stop"));
        send_to(&self.client, id, "scorel", "go").await;
        let events = watch.until("turn_outcome").await;
        assert_eq!(only(&events, "turn_outcome")["reason"], "completed");
    }

    async fn phase(&self, id: SessionId) -> Phase {
        session(&self.client, id).await.phase
    }

    fn has_started(&self, id: SessionId) -> bool {
        let log = self.daemon.log(&id.to_string());
        log.iter().any(|record| record["type"] == "runner_start")
    }
}

impl WaitingSession {
    /// Lets the process go on, to the end of the turn.
    async fn end(&mut self) {
        self.go.write_line().await;
        let events = self.watch.until("turn_outcome").await;
        let outcome = only(&events, "turn_outcome");
        assert_eq!(outcome["reason"], "completed", "{outcome}");
    }
}

/// As many sessions as there are places, with a running process each.
async fn full() -> (Crowd, Vec<WaitingSession>) {
    let config = script_runner("waits", "command", WAITING, "trustOwn = true");
    let crowd = Crowd::start(&config).await;
    let mut sessions = Vec::new();
    for number in 0..PLACES {
        let mut session = crowd.wait_in("waits", number).await;
        session.watch.until("text_delta").await;
        sessions.push(session);
    }
    (crowd, sessions)
}

#[tokio::test]
async fn a_turn_beyond_the_places_waits_and_none_is_lost() {
    let (crowd, mut sessions) = full().await;
    let mut last = crowd.wait_in("waits", PLACES).await;
    crowd.turn_of_the_engine().await;
    assert_eq!(crowd.phase(last.id).await, Phase::Preparing);
    let problem = async {
        loop {
            if let Some(problem) = session(&crowd.client, last.id).await.problem {
                return problem;
            }
            tokio::task::yield_now().await;
        }
    };
    let problem = timeout(PATIENCE, problem).await;
    let problem = problem.expect("it says why it waits");
    assert!(problem.contains("16 processes of runners"), "{problem}");
    assert!(!crowd.has_started(last.id));
    for session in &sessions {
        assert_eq!(crowd.phase(session.id).await, Phase::Running);
    }

    sessions.remove(PLACES / 2).end().await;
    last.watch.until("text_delta").await;
    let described = session(&crowd.client, last.id).await;
    assert_eq!((described.phase, described.problem), (Phase::Running, None));
    sessions.push(last);
    for session in &mut sessions {
        session.end().await;
    }
}

#[tokio::test]
async fn a_turn_that_waits_is_cancelled_without_a_process() {
    let (crowd, mut sessions) = full().await;
    let mut last = crowd.wait_in("waits", PLACES).await;
    crowd.turn_of_the_engine().await;
    cancel(&crowd.client, last.id).await;
    let events = last.watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "cancelled");
    assert!(!crowd.has_started(last.id));
    for session in &mut sessions {
        session.end().await;
    }
}

#[tokio::test]
async fn a_process_is_not_kept_while_a_turn_waits_for_its_place() {
    let double = AcpDouble {
        resumes: true,
        keys: "",
    };
    // The prompt ends in the number.
    let wait = r#"n=${line##*text\":\"}; n=${n%%[!0-9]*}; echo begun >&2; read -r _ <"go-$n""#;
    let crowd = Crowd::start(&double.config_with("double", wait)).await;
    let mut sessions = Vec::new();
    for number in 0..PLACES {
        let mut session = crowd.wait_in("double", number).await;
        session.watch.until("runner_log").await;
        sessions.push(session);
    }
    let mut last = crowd.wait_in("double", PLACES).await;
    crowd.turn_of_the_engine().await;
    assert_eq!(crowd.phase(last.id).await, Phase::Preparing);
    sessions.remove(0).end().await;
    last.watch.until("runner_log").await;
    sessions.push(last);
    for session in &mut sessions {
        session.end().await;
    }
}

#[tokio::test]
async fn four_processes_are_kept_and_the_oldest_end() {
    let double = AcpDouble {
        resumes: true,
        keys: "",
    };
    let crowd = Crowd::start(&double.config("double")).await;
    let mut turns = Vec::new();
    for _ in 0..KEPT + 2 {
        let (id, mut watch) = crowd.session().await;
        let pid = turn(&crowd, id, &mut watch).await;
        turns.push((id, watch, pid, RunningProcess::open(pid)));
    }
    for (_, _, _, process) in &turns[..2] {
        process.wait_for_end();
    }
    for (id, mut watch, pid, process) in turns.drain(2..) {
        assert!(!process.has_ended());
        assert_eq!(turn(&crowd, id, &mut watch).await, pid);
    }
    let (id, mut watch, pid, _) = turns.remove(0);
    assert_ne!(turn(&crowd, id, &mut watch).await, pid);
}

/// Runs a turn, and returns the process that has answered and stays.
async fn turn(crowd: &Crowd, id: SessionId, watch: &mut Watch) -> i32 {
    send_to(&crowd.client, id, "double", "go").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "runner_exit")["kept"], true, "{events:?}");
    process_of(&events)
}
