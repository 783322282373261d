//! Several programs watch a session while another one drives it.

use std::process::Stdio;

use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, new_session, title};

/// A program that prints JSON lines.
struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    printed: Vec<Value>,
}

impl Program {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        Self {
            child,
            lines: BufReader::new(stdout).lines(),
            printed: Vec::new(),
        }
    }

    fn tail(daemon: &DaemonUnderTest, session: &str, arguments: &[&str]) -> Self {
        Self::start(
            scorelctl(daemon)
                .args(["--json", "tail", "--session", session])
                .args(arguments),
        )
    }

    /// Reads up to a value of the type.
    async fn until(&mut self, type_name: &str) {
        loop {
            let line = timeout(PATIENCE, self.lines.next_line()).await;
            let line = line.expect("it prints in time").unwrap();
            let line = line.expect("the program goes on");
            let value: Value = serde_json::from_str(&line).unwrap();
            let found = value["type"] == type_name;
            self.printed.push(value);
            if found {
                return;
            }
        }
    }

    fn events(&self) -> Vec<&Value> {
        self.printed
            .iter()
            .filter(|value| value["seq"].is_u64())
            .collect()
    }
}

fn scorelctl(daemon: &DaemonUnderTest) -> Command {
    let mut command = Command::new(SCORELCTL);
    command
        .env_clear()
        .arg("--home")
        .arg(daemon.home())
        .current_dir(daemon.project());
    command
}

fn python(daemon: &DaemonUnderTest, session: &str) -> Command {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/follow.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(daemon.socket()).arg(session);
    command
}

fn has_python() -> bool {
    std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_ok()
}

/// A model whose reply has two halves; the second waits for the gate.
async fn talkative() -> (DaemonUnderTest, ModelServer, ResponseGate) {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    let words = |answer: ScriptedChat| {
        (0..100).fold(answer, |answer, word| answer.text(&format!("{word} ")))
    };
    let answer = words(words(ScriptedChat::default()).wait(&gate))
        .finish("stop")
        .usage(1, 1);
    model.answer(answer);
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    (daemon, model, gate)
}

#[tokio::test]
async fn watchers_of_any_kind_see_the_same_and_one_that_was_killed_misses_nothing() {
    if !has_python() {
        println!("skipped: python3 is not installed");
        return;
    }
    let (daemon, _model, gate) = talkative().await;
    let (client, id) = new_session(&daemon).await;
    // A first record, so that `tail` has something to catch up with, and says that it has.
    title(&client, id, "Counting").await;
    let session = id.to_string();
    let mut stays = Program::tail(&daemon, &session, &["--from-seq", "1"]);
    let mut dies = Program::tail(&daemon, &session, &["--from-seq", "1"]);
    let mut python = Program::start(&mut python(&daemon, &session));
    // A watcher that subscribes after the turn began sees less of it.
    python.until("sync_end").await;
    for tail in [&mut stays, &mut dies] {
        tail.until("sync").await;
    }
    let mut send = scorelctl(&daemon)
        .args(["send", "--session", &session, "Count."])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    gate.reached().await;
    for _ in 0..50 {
        dies.until("text_delta").await;
    }
    dies.child.kill().await.unwrap();
    let last = dies.events().last().unwrap()["seq"].as_u64().unwrap();
    let from = (last + 1).to_string();
    let mut resumed = Program::tail(&daemon, &session, &["--from-seq", &from]);
    resumed.until("text_delta").await;
    gate.open();
    let sent = timeout(PATIENCE, send.wait()).await;
    assert!(sent.expect("it ends in time").unwrap().success());
    for watcher in [&mut stays, &mut python, &mut resumed] {
        watcher.until("turn_outcome").await;
    }
    let whole = stays.events();
    assert_eq!(whole, python.events());
    let pieced: Vec<&Value> = dies.events().into_iter().chain(resumed.events()).collect();
    assert_eq!(whole, pieced);
    assert!(whole.len() > 200);
}
