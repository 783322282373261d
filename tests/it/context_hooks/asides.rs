//! Commands that a turn does not wait for (`async`): what they say is a steer, or begins a turn.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use scorel_proto::{Cancel, CancelParams, SessionId};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};

use super::{daemon, hook, runs, says, sent};
use crate::under_test::{NamedPipe, PATIENCE, Watch, new_session, send};

/// Says that it is there, and goes on when it is told to.
const HELD: &str = "echo $$ >pid; echo >at; read -r _ <go; ";

const SAYS: &str = r#"echo '{"hookSpecificOutput": {"additionalContext": "The build is red."}}'"#;

const BLOCKS: &str = "echo 'The build is red.' >&2; exit 2";

fn config(command: &str) -> String {
    let hooks = hook("build", "PostToolUse", &format!("{HELD}{command}"));
    // Its own time must not end it before a test has looked.
    hooks + "async = true\nmatcher = 'Bash'\ntimeoutSeconds = 600\n[permissions]\nmode = 'full'\n"
}

/// The pipes of the hook: that it runs, and that it may go on.
struct Pipes {
    at: NamedPipe,
    go: PathBuf,
    _go: NamedPipe,
}

impl Pipes {
    fn new(daemon: &DaemonUnderTest) -> Self {
        let go = daemon.project().join("go");
        Self {
            at: NamedPipe::new(&daemon.project().join("at")),
            _go: NamedPipe::new(&go),
            go,
        }
    }

    fn go_on(&self) {
        fs::write(&self.go, "go\n").unwrap();
    }
}

/// How often the hook's words are in the log as a message, and that they are the hook's.
fn messages(daemon: &DaemonUnderTest, id: SessionId) -> usize {
    let log = daemon.log(&id.to_string());
    let of_hook = log.iter().filter(|it| it["type"] == "custom_message");
    let of_hook: Vec<_> = of_hook.filter(|it| it["kind"] == "hook.build").collect();
    assert!(
        of_hook
            .iter()
            .all(|it| it.to_string().contains("The build is red."))
    );
    of_hook.len()
}

fn requests_with(model: &ModelServer) -> Vec<usize> {
    let all = 0..model.requests().len();
    all.filter(|index| sent(model, *index).contains("The build is red."))
        .collect()
}

#[tokio::test]
async fn what_it_says_in_a_turn_is_a_steer() {
    for command in [SAYS, BLOCKS] {
        let gate = ResponseGate::new();
        let held = ScriptedChat::default()
            .wait(&gate)
            .text("Fine.")
            .finish("stop");
        let answers = vec![runs("echo built"), held, says("I see.")];
        let (daemon, model) = daemon(&config(command), answers).await;
        let mut pipes = Pipes::new(&daemon);
        let (client, id) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        send(&client, id, "Build.").await;
        pipes.at.line().await;
        gate.reached().await;
        assert!(requests_with(&model).is_empty(), "nothing waits for it");
        pipes.go_on();
        watch.until("queue_update").await;
        gate.open();
        watch.until("turn_outcome").await;
        assert_eq!(requests_with(&model), [2], "{command}");
        assert_eq!(sent(&model, 2).matches("The build is red.").count(), 1);
        assert_eq!(messages(&daemon, id), 1, "{command}");
    }
}

#[tokio::test]
async fn what_it_says_later_begins_a_turn() {
    let answers = vec![runs("echo built"), says("Done."), says("I see.")];
    let (daemon, model) = daemon(&config(BLOCKS), answers).await;
    let mut pipes = Pipes::new(&daemon);
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Build.").await;
    pipes.at.line().await;
    watch.until("turn_outcome").await;
    assert!(requests_with(&model).is_empty());
    pipes.go_on();
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["reason"], "completed", "{outcome}");
    assert_eq!(requests_with(&model), [2]);
    assert_eq!(messages(&daemon, id), 1);
}

#[tokio::test]
async fn a_cancel_ends_it() {
    let gate = ResponseGate::new();
    let held = ScriptedChat::default()
        .wait(&gate)
        .text("Fine.")
        .finish("stop");
    let answers = vec![runs("echo built"), held];
    let (daemon, model) = daemon(&config(BLOCKS), answers).await;
    let mut pipes = Pipes::new(&daemon);
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Build.").await;
    pipes.at.line().await;
    gate.reached().await;
    let pid = pid(&daemon.project().join("pid"));
    let process = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    let params = CancelParams {
        session_id: id,
        expected_turn_id: None,
        clear_queue: None,
        children: None,
        command_id: None,
    };
    client.call::<Cancel>(&params).await.unwrap();
    watch.until("turn_outcome").await;
    let ended = tokio::task::spawn_blocking(move || {
        let limit = Timespec::try_from(PATIENCE).unwrap();
        // The end of any other child interrupts it.
        retry_on_intr(|| poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&limit)))
    });
    assert_eq!(ended.await.unwrap(), Ok(1), "the command still runs");
    model.answer(says("Hello."));
    send(&client, id, "Are you there?").await;
    watch.until("turn_outcome").await;
    assert!(requests_with(&model).is_empty());
    assert_eq!(messages(&daemon, id), 0);
}

fn pid(file: &Path) -> Pid {
    let text = fs::read_to_string(file).unwrap();
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}
