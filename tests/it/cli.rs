//! The command line, interactively and in scripts.

use std::process::{Output, Stdio};

use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{ChildStdout, Command};
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD, output_of};

/// A home without a running daemon; commands may start one.
struct CliShell(DaemonUnderTest);

impl CliShell {
    fn new() -> Self {
        Self(DaemonUnderTest::new(SCORELD))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(SCORELCTL);
        command
            .env_clear()
            .env("SCORELD", SCORELD)
            .env("SCOREL_HOME", self.0.home())
            .current_dir(self.0.project())
            .args(arguments)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    async fn run(&self, arguments: &[&str]) -> Output {
        let output = timeout(PATIENCE, self.command(arguments).output()).await;
        output.expect("it ends in time").unwrap()
    }

    async fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments).await;
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    async fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let text = self.ok(arguments).await;
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The exit code and standard error.
    async fn fails(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(arguments).await;
        let code = output.status.code().expect("an exit code");
        (code, String::from_utf8(output.stderr).unwrap())
    }

    async fn stop(&self) {
        self.ok(&["stop"]).await;
    }
}

#[tokio::test]
async fn the_first_message_starts_everything_and_the_answer_is_all_a_pipe_gets() {
    let shell = CliShell::new();
    shell.0.write_project_file("README.md", "# Hello\n");
    let answer = shell
        .ok(&["send", "--session", "new", "What is here?"])
        .await;
    assert!(
        answer.contains("not a language model") && answer.contains("README.md"),
        "{answer}"
    );
    assert!(!answer.contains('\u{1b}'), "no colours in a pipe");
    let shown = shell.ok(&["show"]).await;
    assert!(
        shown.contains("What is here?") && shown.contains("README.md"),
        "{shown}"
    );
    assert!(shell.ok(&["sessions"]).await.contains("What is here?"));
    assert!(
        shell
            .ok(&["projects"])
            .await
            .contains(shell.0.project().to_str().unwrap())
    );
    shell.stop().await;
    assert!(!shell.0.socket().exists());
}

#[tokio::test]
async fn sixteen_clients_at_once_start_one_daemon() {
    let shell = CliShell::new();
    let statuses: Vec<_> = (0..16)
        .map(|_| {
            shell
                .command(&["--json", "call", "getStatus"])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut pids = std::collections::HashSet::new();
    for status in statuses {
        let output = output_of(status).await;
        assert!(output.status.success(), "{output:?}");
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        pids.insert(status["pid"].as_u64().unwrap());
    }
    assert_eq!(pids.len(), 1, "{pids:?}");
    shell.stop().await;
}

#[tokio::test]
async fn a_send_says_that_the_latest_session_is_archived_and_an_ids_end_selects_it() {
    let shell = CliShell::new();
    let lines = shell.json(&["--json", "send", "hello"]).await;
    let session = lines[0]["sessionId"].as_str().unwrap();
    let params = format!(r#"{{"sessionId": "{session}"}}"#);
    shell.ok(&["call", "archiveSession", &params]).await;
    let output = shell.run(&["send", "and again"]).await;
    let told = String::from_utf8(output.stderr).unwrap();
    let end = &session[session.len() - 6..];
    let note = format!("note: session {end} is archived, so the message goes to a new session");
    assert!(told.contains(&note), "{told}");
    assert!(
        shell
            .ok(&["show", "--session", end])
            .await
            .contains("hello")
    );
    let listed = shell.ok(&["sessions", "--archived"]).await;
    assert!(listed.starts_with(end), "{listed}");
    shell.stop().await;
}

#[tokio::test]
async fn a_daemon_that_holds_the_home_without_a_socket_is_found_and_stopped() {
    let mut shell = CliShell::new();
    shell.0.spawn().await;
    // Keeps the daemon from binding its socket again, and leaves it no time to do so before.
    let other = shell.0.home().join("other");
    std::fs::write(&other, "").unwrap();
    std::fs::rename(&other, shell.0.socket()).unwrap();
    let (code, text) = shell.fails(&["status"]).await;
    assert_eq!(code, 7, "{text}");
    let process = format!("scoreld (process {})", shell.0.pid());
    assert!(text.contains(&process), "{text}");
    assert!(text.contains("`scorelctl stop`"), "{text}");
    let stopped = shell.json(&["--json", "stop"]).await;
    assert_eq!(stopped[0]["pid"], shell.0.pid());
    assert_eq!(shell.0.wait().await.code(), Some(0));
    let output = shell.run(&["stop"]).await;
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && text.contains("no daemon is running"),
        "{text}"
    );
}

#[tokio::test]
async fn a_followed_session_goes_on_after_the_daemon_was_killed() {
    let shell = CliShell::new();
    let lines = shell
        .json(&["--json", "send", "--session", "new", "hello"])
        .await;
    let session = lines[0]["sessionId"].as_str().unwrap().to_owned();
    let mut tail = shell
        .command(&["--json", "tail", "--start", "--session", &session])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = BufReader::new(tail.stdout.take().unwrap()).lines();
    until(&mut printed, "turn_outcome").await;
    let status = shell.json(&["--json", "status"]).await;
    let pid = i32::try_from(status[0]["pid"].as_i64().unwrap()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    shell
        .ok(&["send", "--session", &session, "and again"])
        .await;
    until(&mut printed, "turn_outcome").await;
    tail.kill().await.unwrap();
    shell.stop().await;
}

/// Reads lines of JSON up to one of a type.
async fn until(lines: &mut Lines<BufReader<ChildStdout>>, type_name: &str) {
    let search = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["type"] == type_name {
                return;
            }
        }
        panic!("the output has ended");
    };
    timeout(PATIENCE, search).await.expect("a line in time");
}

#[tokio::test]
async fn exit_codes_tell_what_happened() {
    let shell = CliShell::new();
    let (code, text) = shell.fails(&["--no-start", "status"]).await;
    assert_eq!(code, 7, "unreachable: {text}");
    assert!(text.contains("error:") && text.contains("hint:"), "{text}");
    let (code, _) = shell.fails(&["sned", "hello"]).await;
    assert_eq!(code, 2, "usage");
    let (code, text) = shell
        .fails(&["send", "--session", "ses_nonsense", "hello"])
        .await;
    assert!([2, 3].contains(&code), "{code}: {text}");
    let (code, text) = shell
        .fails(&["call", "getSession", r#"{"sessionId":"x"}"#])
        .await;
    assert_eq!(code, 3, "not accepted: {text}");
    shell.stop().await;
}

#[tokio::test]
async fn a_turn_that_fails_or_is_cancelled_has_an_exit_code_of_its_own() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    model.answer(scorel_testkit::ScriptedResponse::json(
        400,
        r#"{"error": {"message": "no such parameter"}}"#,
    ));
    model.answer(ScriptedChat::default().text("half").wait(&gate));
    let shell = CliShell::new();
    shell.0.configure_model(&model.base_url());
    let (code, text) = shell.fails(&["send", "--session", "new", "one"]).await;
    assert_eq!(code, 5, "the turn failed: {text}");
    let send = shell
        .command(&["send", "two"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    gate.reached().await;
    shell.ok(&["cancel"]).await;
    assert_eq!(output_of(send).await.status.code(), Some(6), "cancelled");
    shell.stop().await;
}

#[tokio::test]
async fn json_output_is_the_events_themselves() {
    let shell = CliShell::new();
    let lines = shell
        .json(&["--json", "send", "--session", "new", "What is here?"])
        .await;
    assert_eq!(lines[0]["type"], "accepted");
    let outcome = lines
        .iter()
        .find(|line| line["type"] == "turn_outcome")
        .unwrap();
    assert_eq!(outcome["reason"], "completed");
    let session = outcome["sessionId"].as_str().unwrap();
    let log = shell.0.log(session);
    assert!(
        log.contains(outcome),
        "the outcome is printed as it is logged"
    );
    let tail = shell
        .json(&["--json", "tail", "--from-seq", "1", "--no-follow"])
        .await;
    let records: Vec<&Value> = tail.iter().filter(|line| line["prev"].is_u64()).collect();
    assert_eq!(records, log[1..].iter().collect::<Vec<_>>());
    shell.stop().await;
}

#[tokio::test]
async fn a_session_is_named_by_a_unique_beginning() {
    let shell = CliShell::new();
    let lines = shell
        .json(&["--json", "send", "--session", "new", "--detach", "hello"])
        .await;
    let session = lines[0]["sessionId"].as_str().unwrap().to_owned();
    let status = shell
        .json(&[
            "--json",
            "call",
            "getSession",
            &format!(r#"{{"sessionId":"{session}"}}"#),
        ])
        .await;
    assert_eq!(status[0]["session"]["sessionId"], session.as_str());
    shell
        .ok(&["show", "--session", &session[..session.len() - 2]])
        .await;
    let (_, text) = shell.fails(&["show", "--session", "ses_ZZ"]).await;
    assert!(text.contains("hint:"), "{text}");
    shell.stop().await;
}

#[tokio::test]
async fn stdio_bridges_an_editor_to_the_socket() {
    let shell = CliShell::new();
    let mut bridge = shell
        .command(&["stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let body = r#"{"jsonrpc":"2.0","id":7,"method":"getStatus"}"#;
    let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let mut stdin = bridge.stdin.take().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stdin, frame.as_bytes())
        .await
        .unwrap();
    drop(stdin);
    let output = output_of(bridge).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("Content-Length: ") && text.contains(r#""id":7"#),
        "{text}"
    );
    shell.stop().await;
}

#[tokio::test]
async fn a_session_is_renamed_archived_and_taken_out_of_the_archive() {
    let shell = CliShell::new();
    let id = shell.ok(&["send", "--detach", "hello"]).await;
    let id = id.trim();
    shell.ok(&["wait"]).await;
    let renamed = shell.ok(&["rename", "the", "parser"]).await;
    assert_eq!(renamed, format!("{id}  the parser\n"));
    let (code, error) = shell.fails(&["rename", "two\nlines"]).await;
    assert_eq!(code, 3, "{error}");
    assert_eq!(shell.ok(&["archive"]).await, format!("archived {id}\n"));
    assert_eq!(shell.ok(&["sessions"]).await, "");
    let undone = shell.ok(&["archive", "--undo"]).await;
    assert_eq!(undone, format!("{id} is no longer archived\n"));
    assert!(
        shell
            .ok(&["sessions", "parser"])
            .await
            .contains("the parser")
    );
    let (code, error) = shell.fails(&["archive", "--undo"]).await;
    assert_eq!(code, 3);
    assert!(error.contains("is archived"), "{error}");
    shell.stop().await;
}

#[tokio::test]
async fn a_wait_ends_with_the_turn_with_a_question_or_with_its_time() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::new();
    let answer = ScriptedChat::default().wait(&gate).text("Done.");
    model.answer(answer.finish("stop"));
    let shell = CliShell::new();
    shell.0.configure_model(&model.base_url());
    shell.0.configure_more("[permissions]\nmode = \"ask\"\n");
    // A start of the daemon may take longer than what a short limit leaves for the acceptance.
    shell.ok(&["models"]).await;
    let (code, error) = shell.fails(&["send", "--timeout", "0.01", "hello"]).await;
    assert_eq!(code, 8, "{error}");
    assert!(error.contains("the session continues"), "{error}");
    let (code, error) = shell.fails(&["wait", "--timeout", "0.01"]).await;
    assert_eq!(code, 8, "{error}");
    assert!(error.contains("the session continues"), "{error}");
    let running = shell.ok(&["sessions", "--running"]).await;
    assert_eq!(running.lines().count(), 1, "{running}");
    assert_eq!(shell.ok(&["status", "--short"]).await, "1 running\n");
    let mut waiting = shell.command(&["wait"]);
    let waiting = waiting.stdout(Stdio::piped()).spawn().unwrap();
    gate.open();
    let ended = timeout(PATIENCE, waiting.wait_with_output()).await;
    let ended = ended.expect("it ends in time").unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.stdout, b"idle\n");
    // The list of sessions is updated after the outcome can be seen.
    let listed = async { while !shell.ok(&["sessions", "--running"]).await.is_empty() {} };
    timeout(PATIENCE, listed).await.expect("none is running");
    assert_eq!(shell.ok(&["status", "--short"]).await, "idle\n");

    let asks = ScriptedChat::default().tool_call("call_a", "Bash", r#"{"command":"rm -rf x"}"#);
    model.answer(asks.finish("tool_calls"));
    let mut waiting = shell.command(&["wait", "--for", "question"]);
    let waiting = waiting.stdout(Stdio::piped()).spawn().unwrap();
    shell.ok(&["send", "--detach", "clean up"]).await;
    let asked = timeout(PATIENCE, waiting.wait_with_output()).await;
    let asked = asked.expect("it ends in time").unwrap();
    assert_eq!(asked.stdout, b"asking\n", "{asked:?}");
    assert_eq!(shell.ok(&["status", "--short"]).await, "1 asking\n");
    let session = &shell.json(&["--json", "wait", "--for", "question"]).await[0];
    assert_eq!(session["phase"], "awaiting_permission");
    shell.stop().await;
}

#[tokio::test]
async fn without_a_command_there_is_help_and_no_daemon() {
    let shell = CliShell::new();
    let output = shell.run(&[]).await;
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let help = String::from_utf8(output.stderr).unwrap();
    assert!(help.contains("Usage: scorelctl"), "{help}");
    for verb in ["status", "stop"] {
        shell.run(&[verb]).await;
    }
    assert!(!shell.0.socket().exists());
}

#[tokio::test]
async fn projects_are_added_renamed_and_removed() {
    let shell = CliShell::new();
    let added = shell
        .json(&["--json", "projects", "add", "--name", "one"])
        .await;
    let id = added[0]["project"]["projectId"]
        .as_str()
        .unwrap()
        .to_owned();
    shell
        .ok(&["projects", "rename", ".", "the", "parser"])
        .await;
    let listed = shell.ok(&["projects"]).await;
    assert!(
        listed.starts_with(&format!("{id}  the parser  /")),
        "{listed}"
    );
    let (code, error) = shell.fails(&["projects", "rename", "lexer", "x"]).await;
    assert_eq!(code, 3);
    assert!(error.contains("`scorelctl projects` lists them"), "{error}");
    shell.ok(&["send", "--detach", "hello"]).await;
    let (code, error) = shell.fails(&["projects", "remove", "the parser"]).await;
    assert_eq!(code, 3, "it has a session: {error}");
    shell.ok(&["wait"]).await;
    shell.ok(&["delete", "--yes", "--now"]).await;
    shell.ok(&["projects", "rename", &id, ""]).await;
    let removed = shell.ok(&["projects", "remove", &id]).await;
    assert_eq!(removed, format!("removed {id}\n"));
    assert!(shell.0.project().exists());
    shell.stop().await;
}
