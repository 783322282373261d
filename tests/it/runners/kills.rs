//! `kill -9` of the daemon in turns of agents, and of an agent alone.
//!
//! `SCOREL_RUNNER_KILLS` says how often the daemon is killed a wire, `SCOREL_RUNNER_QUESTIONS` how often at
//! an open question.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use scorel_client::Connection;
use scorel_proto::{PermissionDecision, SessionId};
use scorel_testkit::{AgentCli, CheckedLog, ResponseGate, runs};
use serde_json::Value;

use super::scene::{AgentScene, answer, runner, say};
use super::{only, processes, send_to};
use crate::under_test::{Watch, new_session};

#[tokio::test]
async fn codex_survives_kills_at_every_record() {
    killed_at_every_record(AgentCli::Codex).await;
}

#[tokio::test]
async fn claude_survives_kills_at_every_record() {
    killed_at_every_record(AgentCli::Claude).await;
}

#[tokio::test]
async fn gemini_survives_kills_at_every_record() {
    killed_at_every_record(AgentCli::Gemini).await;
}

/// What a client saw of a turn.
#[derive(Default)]
struct SeenTurn {
    records: Vec<Value>,
    /// The text that was streamed since the last message.
    text: String,
}

impl SeenTurn {
    fn take(&mut self, event: Value) {
        match event["type"].as_str() {
            Some("text_delta") => self.text.push_str(event["delta"].as_str().unwrap()),
            Some("message" | "message_cancelled") => self.text.clear(),
            _ => {}
        }
        if event["id"].is_string() {
            self.records.push(event);
        }
    }

    fn has_ended(&self) -> bool {
        self.records
            .last()
            .is_some_and(|it| it["type"] == "turn_outcome")
    }

    /// Reads until so many records were seen, or the turn has ended.
    async fn read(watch: &mut Watch, records: usize) -> Self {
        let mut seen = Self::default();
        while seen.records.len() < records && !seen.has_ended() {
            seen.take(watch.next().await);
        }
        seen
    }
}

/// Kills after the first, the second, the third record of a turn and so on, and begins again after the
/// last one. Between the kills a turn runs to its end.
async fn killed_at_every_record(cli: AgentCli) {
    let config = "[permissions]\nmode = \"full\"\n";
    let Some(mut scene) = AgentScene::start(&[cli], "", config).await else {
        return;
    };
    let (mut client, id) = new_session(&scene.daemon).await;
    let mut longest = Duration::ZERO;
    let (mut kills, mut records) = (0, 0);
    while kills < runs("SCOREL_RUNNER_KILLS", 3) {
        records += 1;
        let mut watch = following(&client, id).await;
        scene.agents.forget_replies();
        scene.reply(cli.command(&format!("call_{kills}"), "echo ran"));
        scene.reply(say("it has run"));
        send_to(&client, id, runner(cli), &format!("question {kills}")).await;
        let seen = SeenTurn::read(&mut watch, records).await;
        if seen.has_ended() {
            records = 0;
            continue;
        }
        scene.daemon.kill().await;
        longest = longest.max(processes::wait_until_gone(scene.home.path()));
        remove_lock(scene.home.path());
        client = scene.spawn().await;
        kills += 1;
        next_turn_works(&scene, (&client, id), cli).await;
        check_log(&scene, id, &seen);
    }
    println!(
        "{}: {kills} kills, the last process was gone after {longest:?}",
        cli.name()
    );
}

/// Gemini CLI, killed while it holds the lock of its list of projects, leaves it there. The next one looks
/// at it again after 12 s and after 25 s, and so takes longer to start than a runner may.
fn remove_lock(home: &Path) {
    let _absent = fs::remove_dir(home.join(".gemini/projects.json.lock"));
}

/// A subscription to what comes from now on.
async fn following(client: &Connection, id: SessionId) -> Watch {
    let mut watch = Watch::from_start(client, id).await;
    watch.until("sync_end").await;
    watch
}

async fn next_turn_works(
    scene: &AgentScene,
    (client, id): (&Connection, SessionId),
    cli: AgentCli,
) {
    let mut watch = following(client, id).await;
    scene.agents.forget_replies();
    scene.reply(say("back again"));
    send_to(client, id, runner(cli), "and now?").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(
        only(&events, "turn_outcome")["reason"],
        "completed",
        "{events:?}"
    );
}

/// The seen records are in the log, each start has one end, and the streamed text is kept.
fn check_log(scene: &AgentScene, id: SessionId, seen: &SeenTurn) {
    let path = scene.daemon.log_path(&id.to_string());
    let log = CheckedLog::read(&path).unwrap();
    let records = log.records();
    for event in &seen.records {
        let kept = records.iter().find(|it| it.value["id"] == event["id"]);
        let kept = kept.unwrap_or_else(|| panic!("lost: {event}"));
        assert_eq!(kept.value["seq"], event["seq"]);
    }
    let count = |type_name| {
        records
            .iter()
            .filter(|it| it.type_name() == type_name)
            .count()
    };
    assert_eq!(count("runner_start"), count("runner_exit"));
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(seen.text.trim_end()), "lost: {}", seen.text);
}

#[tokio::test]
async fn a_question_of_codex_outlives_the_daemon() {
    question_outlives_the_daemon(AgentCli::Codex).await;
}

#[tokio::test]
async fn a_question_of_claude_outlives_the_daemon() {
    question_outlives_the_daemon(AgentCli::Claude).await;
}

#[tokio::test]
async fn a_question_of_gemini_outlives_the_daemon() {
    question_outlives_the_daemon(AgentCli::Gemini).await;
}

/// The first question of the session, then others. The command of each runs once.
async fn question_outlives_the_daemon(cli: AgentCli) {
    let Some(mut scene) = AgentScene::start(&[cli], "", "").await else {
        return;
    };
    let (mut client, id) = new_session(&scene.daemon).await;
    for run in 0..runs("SCOREL_RUNNER_QUESTIONS", 2) {
        let mut watch = following(&client, id).await;
        let command = format!("touch seen && echo {run} >> counter");
        scene.reply(cli.command(&format!("call_{run}"), &command));
        send_to(&client, id, runner(cli), "count").await;
        watch.until("permission_request").await;
        scene.daemon.kill().await;
        processes::wait_until_gone(scene.home.path());
        client = scene.spawn().await;
        let mut watch = Watch::from_start(&client, id).await;
        let events = watch.until("sync_end").await;
        let asked = events.iter().rfind(|it| it["type"] == "permission_request");
        // It makes the same call again, as it is told to.
        scene.reply(cli.command(&format!("again_{run}"), &command));
        scene.reply(say("counted"));
        answer(&client, id, asked.unwrap(), PermissionDecision::Once).await;
        let events = watch.until("turn_outcome").await;
        let outcome = only(&events, "turn_outcome");
        assert_eq!(outcome["reason"], "completed", "{events:?}");
        let asked_again = events.iter().any(|it| it["type"] == "permission_request");
        assert!(!asked_again, "{events:?}");
        let counted = fs::read_to_string(scene.daemon.project().join("counter")).unwrap();
        let expected: String = (0..=run).map(|run| format!("{run}\n")).collect();
        assert_eq!(counted, expected);
    }
}

#[tokio::test]
async fn a_killed_codex_fails_its_turn_alone() {
    killed_alone(AgentCli::Codex).await;
}

#[tokio::test]
async fn a_killed_claude_fails_its_turn_alone() {
    killed_alone(AgentCli::Claude).await;
}

#[tokio::test]
async fn a_killed_gemini_fails_its_turn_alone() {
    killed_alone(AgentCli::Gemini).await;
}

/// While the model has not answered, and at a question.
async fn killed_alone(cli: AgentCli) {
    let Some(scene) = AgentScene::start(&[cli], "", "").await else {
        return;
    };
    let (client, id) = new_session(&scene.daemon).await;
    for phase in ["model", "question"] {
        let mut watch = following(&client, id).await;
        let gate = ResponseGate::new();
        if phase == "model" {
            scene.reply(say("never").hold(&gate));
        } else {
            scene.reply(cli.command("call_1", "touch made"));
        }
        send_to(&client, id, runner(cli), "go").await;
        if phase == "model" {
            gate.reached().await;
        } else {
            watch.until("permission_request").await;
        }
        let killed = Instant::now();
        processes::signal(scene.home.path(), Signal::KILL);
        let events = watch.until("turn_outcome").await;
        println!(
            "{} killed at its {phase}: {:?}",
            cli.name(),
            killed.elapsed()
        );
        let outcome = only(&events, "turn_outcome");
        assert_eq!(outcome["error"]["code"], "runner_failed", "{outcome}");
        let exit = only(&events, "runner_exit");
        assert_eq!(exit["kept"], false, "{exit}");
        gate.open();
        next_turn_works(&scene, (&client, id), cli).await;
    }
    assert!(!scene.daemon.project().join("made").exists());
}
