//! The transcript that a command reads.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::{calling, hook, turn, writing};
use crate::under_test::{NamedPipe, Watch, new_session, send};

/// Puts the transcript's path into `$t`.
const PATH: &str = r#"t=$(sed 's/.*"transcript_path":"\([^"]*\)".*/\1/')"#;

fn kinds(file: &str) -> Vec<String> {
    let lines = file.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let first = line["message"]["content"][0]["type"].as_str().unwrap();
        format!("{} {first}", line["type"].as_str().unwrap())
    });
    lines.collect()
}

#[tokio::test]
async fn a_command_reads_what_was_said_until_then_also_in_a_sandbox() {
    let look = |name: &str| format!("{PATH}; cp \"$t\" {name}; stat -c %a \"$t\" >mode");
    let hooks = [
        hook("before", "PreToolUse", &look("before"), ""),
        hook("stop", "Stop", &look("stop"), "sandbox = 'workspace'"),
    ]
    .concat();
    let (daemon, _model) = writing(&hooks, &[("out.txt".to_owned(), "x")]).await;
    let id = turn(&daemon).await;
    let read = |name: &str| std::fs::read_to_string(daemon.project().join(name)).unwrap();
    assert_eq!(kinds(&read("before")), ["user text", "assistant tool_use"]);
    let at_end = read("stop");
    let expected = [
        "user text",
        "assistant tool_use",
        "user tool_result",
        "assistant text",
    ];
    assert_eq!(kinds(&at_end), expected);
    let call: Value = serde_json::from_str(at_end.lines().nth(1).unwrap()).unwrap();
    let written = daemon.project().join("out.txt");
    let call_input = &call["message"]["content"][0]["input"];
    assert_eq!(call_input["file_path"], written.to_str().unwrap());
    assert_eq!(call["sessionId"], id.to_string());
    assert_eq!(read("mode"), "600\n");
}

#[tokio::test]
async fn the_next_daemon_removes_what_a_killed_one_has_left() {
    let stuck = hook("stuck", "Stop", "echo >begun; sleep 1000", "");
    let (mut daemon, _model) = writing(&stuck, &[]).await;
    let mut begun = NamedPipe::new(&daemon.project().join("begun"));
    let (client, id) = new_session(&daemon).await;
    send(&client, id, "Do it.").await;
    begun.line().await;
    let directory = daemon.home().join("transcripts");
    let file = directory.join(id.to_string()).join(format!("{id}.jsonl"));
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    daemon.kill().await;
    assert!(file.exists(), "it had no time");
    daemon.spawn().await;
    assert!(!directory.exists());
}

#[tokio::test]
async fn the_end_of_a_turn_tells_which_commands_run_on() {
    let hooks = format!(
        "[permissions]\nmode = 'full'\n{}",
        hook("stop", "Stop", "cat >stop.json", "")
    );
    let call = json!({"command": "sleep 1000", "background": true});
    let (daemon, _model) = calling(&hooks, &[("Bash", call)]).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Do it.").await;
    watch.until("turn_outcome").await;
    let seen = std::fs::read(daemon.project().join("stop.json")).unwrap();
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    let task = json!({
        "id": "bash_1",
        "type": "shell",
        "status": "running",
        "description": "sleep 1000",
        "command": "sleep 1000",
    });
    assert_eq!(seen["background_tasks"], json!([task]));
}
