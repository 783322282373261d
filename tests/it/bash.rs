//! Commands of the model under a daemon that is stopped or killed, and commands that talk to the
//! daemon.

use std::fs;
use std::io::Read as _;
use std::process::Command;
use std::time::{Duration, Instant};

use scorel_client::Connection;
use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{SCORELCTL, SCORELD, Watch, has_sandbox, new_session, send};

/// The time limit for all processes to be gone.
const LIMIT: Duration = Duration::from_secs(120);

/// Allows everything in a sandbox; questions that remain are denied after a second.
const ALLOWED: &str = "[permissions]\nmode = \"workspace\"\nallow = [\"Bash\"]\n\
                       timeoutSeconds = 1\natTimeout = \"allow\"\n";

/// A daemon with additional configuration whose model makes one call.
async fn daemon_with(config: &str, input: &Value) -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    let calls = ScriptedChat::default()
        .tool_call("call_a", "Bash", &input.to_string())
        .finish("tool_calls");
    model
        .answer(calls)
        .answer(ScriptedChat::default().text("Done.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    add_to_configuration(&daemon, config);
    daemon.spawn().await;
    (daemon, model)
}

fn add_to_configuration(daemon: &DaemonUnderTest, config: &str) {
    let file = daemon.home().join("config.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(file, format!("{text}\n{config}")).unwrap();
}

/// Lets the model make its call and returns the result's text.
async fn call(daemon: &DaemonUnderTest) -> (String, Connection, SessionId) {
    let (client, id) = new_session(daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Do it.").await;
    watch.until("turn_outcome").await;
    let log = daemon.log(&id.to_string());
    let mut results = log
        .iter()
        .filter(|line| line["message"]["role"] == "tool_result");
    let result = results.next().unwrap();
    let text = result["message"]["content"][0]["content"][0]["text"]
        .as_str()
        .unwrap();
    (text.to_owned(), client, id)
}

/// A number of seconds that no other test uses, to recognise a `sleep`.
fn canary(test: u32) -> String {
    format!("7{:08}{test:05}", std::process::id())
}

/// Whether no process with `canary` in its command line is left after [`LIMIT`].
fn nothing_left(canary: &str) -> bool {
    let deadline = Instant::now() + LIMIT;
    loop {
        let Some(pid) = process_with(canary) else {
            return true;
        };
        if Instant::now() >= deadline {
            return false;
        }
        wait_for_end(pid, deadline);
    }
}

fn process_with(canary: &str) -> Option<i32> {
    let entries = fs::read_dir("/proc").unwrap();
    let mut pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.find(|pid: &i32| {
        let mut line = Vec::new();
        let file = fs::File::open(format!("/proc/{pid}/cmdline"));
        let _gone = file.and_then(|mut file| file.read_to_end(&mut line));
        String::from_utf8_lossy(&line).contains(canary)
    })
}

fn wait_for_end(pid: i32, deadline: Instant) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::retry_on_intr;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let Ok(handle) = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) else {
        return;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).unwrap();
    let mut fds = [PollFd::new(&handle, PollFlags::IN)];
    // The end of any other child interrupts it.
    retry_on_intr(|| poll(&mut fds, Some(&left))).unwrap();
}

#[tokio::test]
async fn commands_are_not_offered_where_the_preset_has_none() {
    if !has_sandbox() {
        return;
    }
    let (daemon, model) = daemon_with(
        "[tools]\npreset = \"readonly\"\n",
        &json!({ "command": "echo ran" }),
    )
    .await;
    let (text, ..) = call(&daemon).await;
    assert!(text.starts_with("E_UNKNOWN_TOOL"), "{text}");
    // It names what this session offers, and nothing else.
    assert!(
        text.ends_with("the tools are Read, Glob, Grep, Todo, Skill"),
        "{text}"
    );
    let request = model.requests()[0].json();
    let tools = request["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["function"]["name"] != "Bash"));
}

#[tokio::test]
async fn a_command_cannot_speak_to_the_daemon() {
    if !has_sandbox() {
        return;
    }
    for mode in ["workspace", "full"] {
        let model = ModelServer::start().await.unwrap();
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        let home = daemon.home();
        let home = home.display();
        let command = format!(
            "{SCORELCTL} --home {home} status && echo ANSWERED; (setsid {SCORELCTL} --home {home} status && echo ANSWERED) | cat; echo tried"
        );
        let input = json!({ "command": command });
        let calls = ScriptedChat::default()
            .tool_call("call_a", "Bash", &input.to_string())
            .finish("tool_calls");
        model
            .answer(calls)
            .answer(ScriptedChat::default().text("Done.").finish("stop"));
        add_to_configuration(&daemon, &ALLOWED.replace("workspace", mode));
        daemon.spawn().await;
        let (text, ..) = call(&daemon).await;
        assert!(
            text.contains("tried") && !text.contains("ANSWERED"),
            "{mode}: {text}"
        );
    }
}

#[tokio::test]
async fn nothing_outlives_a_killed_daemon() {
    if !has_sandbox() {
        return;
    }
    let canary = canary(1);
    let command = format!(
        "for i in 1 2 3; do setsid sleep {canary} & done; (trap '' TERM HUP; while :; do sleep {canary}; done) & echo > ready; sleep {canary}"
    );
    let input = json!({ "command": command, "background": true });
    let (mut daemon, _model) = daemon_with(ALLOWED, &input).await;
    // Opening the FIFO blocks until the command writes to it.
    let ready = daemon.project().join("ready");
    let made = Command::new("mkfifo").arg(&ready).status().unwrap();
    assert!(made.success());
    let (text, ..) = call(&daemon).await;
    assert!(
        text.starts_with("Started in the background as bash_1"),
        "{text}"
    );
    assert_eq!(fs::read(ready).unwrap(), b"\n");
    assert!(process_with(&canary).is_some());
    daemon.kill().await;
    assert!(nothing_left(&canary));
}

#[tokio::test]
async fn nothing_outlives_a_daemon_that_stops() {
    if !has_sandbox() {
        return;
    }
    let canary = canary(2);
    let command = format!("trap '' TERM; setsid sleep {canary} & sleep {canary}; sleep {canary}");
    let input = json!({ "command": command, "background": true });
    let (mut daemon, _model) = daemon_with(ALLOWED, &input).await;
    let (text, ..) = call(&daemon).await;
    assert!(
        text.starts_with("Started in the background as bash_1"),
        "{text}"
    );
    assert!(daemon.stop().await.success());
    assert!(nothing_left(&canary));
}

#[tokio::test]
async fn keys_of_the_daemon_are_not_in_the_environment() {
    if !has_sandbox() {
        return;
    }
    let (daemon, _model) = daemon_with(ALLOWED, &json!({ "command": "env" })).await;
    let (text, ..) = call(&daemon).await;
    // How git is told a setting.
    let mut others = text
        .lines()
        .filter(|line| !line.starts_with("GIT_CONFIG_KEY_"));
    assert!(
        text.contains("TERM=dumb") && !others.any(|line| line.contains("KEY")),
        "{text}"
    );
}
