//! Tools that need permission, with the real daemon.

use std::time::{Duration, Instant};

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    ArchiveSession, ArchiveSessionParams, Cancel, CancelParams, ErrorCode, PermissionDecision,
    PermissionRequestId, RespondPermission, RespondPermissionParams, RpcError, SeqResult,
    SessionId,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, connect, has_sandbox, new_session, scorelctl, send};

/// The time limit for processes to be there, or gone.
const LIMIT: Duration = Duration::from_secs(120);

const RULES: &str = "[permissions]\nmode = \"ask\"\n\
                     deny = [\"Read(secrets/**)\", \"Write(secrets/**)\"]\n";

/// A daemon in the mode `ask` whose model makes these calls one after another.
async fn calling(calls: &[(&str, Value)]) -> (DaemonUnderTest, ModelServer) {
    calling_with(RULES, calls).await
}

/// A daemon with further configuration whose model makes these calls one after another.
async fn calling_with(config: &str, calls: &[(&str, Value)]) -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    for (index, (tool, arguments)) in calls.iter().enumerate() {
        let id = format!("call_{index}");
        let answer = ScriptedChat::default()
            .tool_call(&id, tool, &arguments.to_string())
            .finish("tool_calls");
        model.answer(answer);
    }
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(config);
    daemon.write_project_file("append.sh", "echo ran >> ran.txt\n");
    daemon.spawn().await;
    (daemon, model)
}

/// A command that appends to a file, which shows how often it ran.
fn append() -> Value {
    json!({"command": "sh ./append.sh"})
}

fn ran(daemon: &DaemonUnderTest) -> usize {
    let text = std::fs::read_to_string(daemon.project().join("ran.txt"));
    text.unwrap_or_default().lines().count()
}

/// Waits for the permission request.
async fn asked(watch: &mut Watch) -> (PermissionRequestId, Value) {
    loop {
        let item = watch.next().await;
        assert_ne!(item["type"], "turn_outcome", "nothing was asked");
        if item["type"] == "permission_request" {
            let id = serde_json::from_value(item["requestId"].clone());
            return (id.unwrap(), item);
        }
    }
}

async fn respond(
    client: &Connection,
    session_id: SessionId,
    request_id: PermissionRequestId,
    decision: PermissionDecision,
) -> Result<SeqResult, RpcError> {
    let params = RespondPermissionParams {
        session_id,
        request_id,
        decision,
        reason: None,
        command_id: None,
    };
    let answer = client.call::<RespondPermission>(&params).await;
    answer.map_err(|error| match error {
        ClientError::Rpc(error) => error,
        other => panic!("no answer of the daemon: {other}"),
    })
}

fn results(items: &[Value]) -> Vec<&Value> {
    let messages = items.iter().filter(|item| item["type"] == "message");
    let messages = messages.map(|item| &item["message"]);
    messages
        .filter(|message| message["role"] == "tool_result")
        .map(|message| &message["content"][0])
        .collect()
}

#[tokio::test]
async fn the_command_line_lists_and_answers_the_question_of_an_archived_session() {
    if !has_sandbox() {
        return;
    }
    let (daemon, _model) = calling(&[("Bash", append())]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Run it.").await;
    let (asked, _) = asked(&mut watch).await;
    let params = ArchiveSessionParams {
        session_id: id,
        archived: None,
        command_id: None,
    };
    client.call::<ArchiveSession>(&params).await.unwrap();
    let listed = scorelctl(&daemon, &["--json", "approve"], &[]).await;
    assert!(listed.status.success(), "{listed:?}");
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["requestId"], asked.to_string(), "{listed}");
    let answered = scorelctl(&daemon, &["approve", &asked.to_string()], &[]).await;
    assert!(answered.status.success(), "{answered:?}");
    watch.until("turn_outcome").await;
    assert_eq!(ran(&daemon), 1);
}

#[tokio::test]
async fn a_question_is_answered_in_another_client_after_a_kill_and_its_call_runs_once() {
    if !has_sandbox() {
        return;
    }
    let (mut daemon, _model) = calling(&[("Bash", append())]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    let turn = send(&client, id, "Run it.").await;
    let (asked, _) = asked(&mut watch).await;
    assert_eq!(ran(&daemon), 0);
    daemon.kill().await;
    daemon.spawn().await;

    let other = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&other, id).await;
    watch.until("sync_end").await;
    let once = respond(&other, id, asked, PermissionDecision::Once).await;
    once.expect("the next daemon takes the answer");
    let seen = watch.until("turn_outcome").await;
    let outcome = seen.last().unwrap();
    assert_eq!(outcome["reason"], "completed");
    assert_eq!(outcome["turnId"], turn.to_string());
    assert_eq!(ran(&daemon), 1);
    let late = respond(&other, id, asked, PermissionDecision::Deny).await;
    assert_eq!(late.unwrap_err().code, ErrorCode::Conflict);
}

#[tokio::test]
async fn a_lasting_grant_holds_in_the_project_from_then_on() {
    if !has_sandbox() {
        return;
    }
    let (mut daemon, model) = calling(&[("Bash", append())]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Run it.").await;
    let (asked, _) = asked(&mut watch).await;
    let always = respond(&client, id, asked, PermissionDecision::Always).await;
    always.expect("taken");
    watch.until("turn_outcome").await;
    daemon.kill().await;

    daemon.spawn().await;
    let again = ScriptedChat::default().tool_call("call_b", "Bash", &append().to_string());
    model.answer(again.finish("tool_calls"));
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    let (client, other) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, other).await;
    send(&client, other, "Again.").await;
    let seen = watch.until("turn_outcome").await;
    assert!(seen.iter().all(|item| item["type"] != "permission_request"));
    assert_eq!(ran(&daemon), 2);
}

#[tokio::test]
async fn rules_refuse_without_asking_and_the_rest_of_the_project_is_free() {
    if !has_sandbox() {
        return;
    }
    let calls = [
        ("Write", json!({"path": "secrets/key", "content": "x"})),
        ("Write", json!({"path": "notes.txt", "content": "x\n"})),
        ("Bash", json!({"command": "cat secrets/key"})),
        ("Bash", json!({"command": "cat notes.txt"})),
    ];
    let (daemon, _model) = calling(&calls).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Go.").await;
    let seen = watch.until("turn_outcome").await;
    assert!(seen.iter().all(|item| item["type"] != "permission_request"));
    let failed: Vec<bool> = results(&seen)
        .iter()
        .map(|result| result["isError"] == true)
        .collect();
    assert_eq!(failed, [true, false, true, false], "{:#?}", results(&seen));
    assert!(!daemon.project().join("secrets").exists());
}

#[tokio::test]
async fn files_that_other_programs_run_are_asked_about_each_time() {
    let hook = json!({"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n"});
    let (daemon, _model) = calling(&[("Write", hook)]).await;
    std::fs::create_dir_all(daemon.project().join(".git/hooks")).unwrap();
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Install it.").await;
    let (asked, request) = asked(&mut watch).await;
    assert_eq!(request.get("rules"), None);
    let always = respond(&client, id, asked, PermissionDecision::Always).await;
    let refused = always.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidParams);
    let once = respond(&client, id, asked, PermissionDecision::Once).await;
    once.expect("taken");
    let seen = watch.until("turn_outcome").await;
    assert_eq!(results(&seen)[0]["isError"], false, "{seen:#?}");
    assert!(daemon.project().join(".git/hooks/pre-commit").exists());
}

#[tokio::test]
async fn by_default_the_sandbox_holds_a_command_and_what_cannot_be_had_back_is_asked_about() {
    if !has_sandbox() {
        return;
    }
    let outside = tempfile_outside();
    let escape = format!("echo x > {} || echo held", outside.display());
    let calls = [
        ("Bash", append()),
        ("Bash", json!({"command": format!("eval '{escape}'")})),
        ("Bash", json!({"command": "git clean -fd"})),
    ];
    let (daemon, _model) = calling_with("", &calls).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Go.").await;
    let (asked, request) = asked(&mut watch).await;
    assert_eq!(ran(&daemon), 1);
    assert!(!outside.exists());
    assert_eq!(request["input"]["command"], "git clean -fd");
    assert_eq!(
        request["reason"],
        "the rule Bash(git clean *) asks about it"
    );
    assert_eq!(request["rules"], json!(["Bash(git clean -fd)"]));
    let deny = respond(&client, id, asked, PermissionDecision::Deny).await;
    deny.expect("taken");
    watch.until("turn_outcome").await;
}

/// A path that only a command outside of the sandbox can make.
fn tempfile_outside() -> std::path::PathBuf {
    std::env::temp_dir().join(format!("scorel-escaped-{}", std::process::id()))
}

#[tokio::test]
async fn what_stands_by_for_a_command_ends_with_its_question_and_with_the_daemon() {
    if !has_sandbox() {
        return;
    }
    for ending in ["once", "deny", "cancel", "kill"] {
        let (mut daemon, _model) = calling(&[("Bash", append())]).await;
        let (client, id) = new_session(&daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        send(&client, id, "Run it.").await;
        let (asked, _) = asked(&mut watch).await;
        let waiting = standing_by(daemon.pid());
        assert_eq!(ran(&daemon), 0, "nothing runs before the answer");
        match ending {
            "once" => drop(respond(&client, id, asked, PermissionDecision::Once).await),
            "deny" => drop(respond(&client, id, asked, PermissionDecision::Deny).await),
            "cancel" => cancel(&client, id).await,
            _ => daemon.kill().await,
        }
        if ending != "kill" {
            watch.until("turn_outcome").await;
        }
        for process in waiting {
            wait_for_end(process);
        }
        assert_eq!(ran(&daemon), usize::from(ending == "once"), "{ending}");
    }
}

async fn cancel(client: &Connection, session_id: SessionId) {
    let params = CancelParams {
        children: None,
        session_id,
        expected_turn_id: None,
        clear_queue: None,
        command_id: None,
    };
    assert!(client.call::<Cancel>(&params).await.unwrap().cancelled);
}

/// The supervisor that stands by below the daemon and the process that waits below it, once they are
/// there.
fn standing_by(daemon: u32) -> Vec<u32> {
    let deadline = Instant::now() + LIMIT;
    loop {
        for supervisor in children(daemon, "--supervise") {
            if let [init] = children(supervisor, "--supervise")[..] {
                return vec![supervisor, init];
            }
        }
        assert!(Instant::now() < deadline, "no supervisor stands by");
        std::thread::yield_now();
    }
}

/// The children of a process that were started with this argument.
fn children(parent: u32, argument: &str) -> Vec<u32> {
    let read = |pid: &u32, file: &str| {
        std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default()
    };
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_one = |pid: &u32| {
        read(pid, "status").contains(&format!("PPid:\t{parent}\n"))
            && read(pid, "cmdline").contains(argument)
    };
    pids.filter(is_one).collect()
}

fn wait_for_end(pid: u32) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::retry_on_intr;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    let limit = Timespec::try_from(LIMIT).unwrap();
    let mut fds = [PollFd::new(&handle, PollFlags::IN)];
    // The end of any other child interrupts it.
    let ended = retry_on_intr(|| poll(&mut fds, Some(&limit)));
    assert_eq!(ended, Ok(1), "a process that stood by is left");
}
