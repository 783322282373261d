//! One home with one session across many kills.

use std::fs;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use scorel_proto::{GetSession, GetSessionParams, SessionId};
use scorel_testkit::{
    CheckedLog, DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat, ScriptedResponse,
    SeededDice, Sightings,
};
use tokio::time::timeout;

use super::clients::{RecordingClient, Sender};
use crate::under_test::{SCORELD, connect, new_session};

/// The longest life of a daemon, from its readiness on.
const LIFETIME: Duration = Duration::from_millis(300);

pub(super) struct KillScene {
    dice: SeededDice,
    daemon: DaemonUnderTest,
    _model: ModelServer,
    /// From here on every reply of the model is completed.
    calm: ResponseGate,
    session: SessionId,
    sender: Sender,
    watchers: [RecordingClient; 2],
    seen: Arc<Mutex<Sightings>>,
    /// The turns that were open at the kill.
    last_check: Option<CheckedLog>,
}

impl KillScene {
    pub(super) async fn new(mut dice: SeededDice) -> Self {
        let model = ModelServer::start().await.unwrap();
        let calm = ResponseGate::default();
        model.answer_with(answers(dice.fork(), calm.clone()));
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.write_project_file("notes.txt", &dice.text(300));
        daemon.spawn().await;
        let (_client, session) = new_session(&daemon).await;
        daemon.kill().await;
        let seen = Arc::default();
        Self {
            sender: Sender::new(dice.fork(), session),
            watchers: [true, false].map(|keeps| RecordingClient::new(session, keeps, &seen)),
            seen,
            daemon,
            _model: model,
            calm,
            session,
            dice,
            last_check: None,
        }
    }

    /// Starts the daemon, lets the clients work for a while, kills it, and compares its files with
    /// what it sent.
    pub(super) async fn live_and_die(&mut self) {
        self.daemon.spawn().await;
        let lifetime = self.dice.time_up_to(LIFETIME);
        let socket = self.daemon.socket();
        let [first, second] = &mut self.watchers;
        let clients = async {
            tokio::join!(
                first.run(&socket),
                second.run(&socket),
                self.sender.run(&socket)
            );
        };
        let _over = timeout(lifetime, clients).await;
        self.daemon.kill().await;
        self.forgive();
        self.check();
    }

    /// Makes the next daemon recover the session even if the last three were killed in the middle of that:
    /// it gives up only what daemons die of.
    fn forgive(&self) {
        let mark = self.daemon.log_path(&self.session.to_string());
        match fs::remove_file(mark.with_file_name("recovering")) {
            Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
            _ => {}
        }
    }

    fn log(&self) -> CheckedLog {
        let path = self.daemon.log_path(&self.session.to_string());
        CheckedLog::read(&path).unwrap_or_else(|fault| panic!("{fault} in {}", path.display()))
    }

    /// The invariants of a log at any time, also before recovery.
    fn check(&mut self) {
        let log = self.log();
        self.seen
            .lock()
            .unwrap()
            .check(&log)
            .unwrap_or_else(|fault| panic!("{fault}"));
        self.sender.check(&log);
        if let Some(before) = &self.last_check {
            let kept = before.records().iter().zip(log.records());
            for (before, after) in kept {
                assert_eq!(before.line, after.line, "a record changed");
            }
            assert!(
                before.records().len() <= log.records().len(),
                "records are gone"
            );
        }
        self.last_check = Some(log);
    }

    /// Starts a daemon that is not killed: everything accepted gets its turn, and the log, the
    /// daemon's view and the clients' copies agree.
    pub(super) async fn check_to_the_end(&mut self) {
        self.calm.open();
        self.daemon.spawn().await;
        let socket = self.daemon.socket();
        self.sender.finish(&socket).await;
        for watcher in &mut self.watchers {
            watcher.run_until_idle(&socket, &self.sender).await;
        }
        let client = connect(&socket).await;
        let params = GetSessionParams {
            session_id: self.session,
        };
        let told = client.call::<GetSession>(&params).await.unwrap().session;
        self.daemon.stop().await;
        self.check();
        let log = self.log();
        assert_eq!(log.torn(), 0);
        let view = log.view();
        assert_eq!(view.state.turn, None, "every turn has an outcome");
        assert_eq!(view.state.queue.items, [], "everything had its turn");
        assert_eq!(view.leaf(), told.active_leaf_id);
        assert_eq!(view.state.last_persistent_seq, told.last_persistent_seq);
        assert_eq!(view.state.queue.version, told.queue_version);
        assert_eq!(view.state.usage, told.usage);
        self.sender.check_all_said(&log);
        for watcher in &self.watchers {
            watcher.check(&log);
        }
        let seen = self.seen.lock().unwrap();
        seen.check_text(&log)
            .unwrap_or_else(|fault| panic!("{fault}"));
    }

    pub(super) fn events_seen(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    pub(super) fn sends_acknowledged(&self) -> usize {
        self.sender.acknowledged()
    }
}

/// Replies of every kind: short, long, with tools, and some that do not end before `calm` opens.
fn answers(
    mut dice: SeededDice,
    calm: ResponseGate,
) -> impl FnMut(&scorel_testkit::RecordedRequest) -> ScriptedResponse + Send + 'static {
    move |_| {
        let mut answer = ScriptedChat::default();
        if dice.chance(30) {
            answer = answer.thinking(&dice.text(200));
        }
        for _ in 0..dice.index(1..30) {
            let len = if dice.chance(3) {
                60_000
            } else {
                dice.index(1..400)
            };
            answer = answer.text(&dice.text(len));
        }
        if dice.chance(25) {
            answer = answer.wait(&calm).text("at last");
        }
        if dice.chance(40) {
            for call in 0..dice.index(1..4) {
                let id = format!("call_{call}");
                answer = match dice.chance(50) {
                    true => answer.tool_call(&id, "Read", r#"{"path":"notes.txt"}"#),
                    false => answer.tool_call(&id, "Glob", r#"{"pattern":"*"}"#),
                };
            }
            return answer.finish("tool_calls").usage(10, 5).into();
        }
        answer.finish("stop").usage(10, 5).into()
    }
}
