//! `kill -9` while hooks look at something: nothing dangles, and no call runs twice.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::{daemon, hook, runs, says};
use crate::under_test::{NamedPipe, Watch, connect, new_session, send};

/// The number of daemons that are killed. With `SCOREL_LONG` set it is ten times as many.
const KILLS: usize = 20;

/// Events of hooks with the part of a turn that they stop, in turn.
const POINTS: [(&str, &str); 6] = [
    ("start", "UserPromptSubmit"),
    ("send", "convertToLlm"),
    ("before", "PreToolUse"),
    ("after", "PostToolUse"),
    ("call", "transformContext"),
    ("end", "Stop"),
];

/// A hook that says where it is, and stays there while it is to.
fn waits(name: &str, event: &str, directory: &Path) -> String {
    let directory = directory.display();
    let command = format!(
        "if [ -e '{directory}/hold.{name}' ]; then echo at >'{directory}/at.{name}'; exec sleep 1000; fi"
    );
    let points = match event {
        "transformContext" => "points = ['call']\n",
        _ => "",
    };
    hook(name, event, &command) + points
}

#[tokio::test]
async fn after_a_kill_in_a_hook_nothing_dangles_and_no_call_runs_twice() {
    let kills = match std::env::var_os("SCOREL_LONG") {
        Some(_) => KILLS * 10,
        None => KILLS,
    };
    let place = tempfile::tempdir().unwrap();
    let hooks: String = POINTS
        .iter()
        .map(|(name, event)| waits(name, event, place.path()))
        .collect();
    let inject = hook("remind", "UserPromptSubmit", "echo Remember this.");
    let config =
        format!("[runtime]\nonRestart = 'resume'\n[permissions]\nmode = 'full'\n{inject}{hooks}");
    let (mut daemon, model) = daemon(&config, Vec::new()).await;
    model.fallback(says("Done."));
    for kill in 0..kills {
        let (name, _) = POINTS[kill % POINTS.len()];
        let file = |what: &str| place.path().join(format!("{what}.{name}"));
        std::fs::write(file("hold"), "").unwrap();
        let mut at = NamedPipe::new(&file("at"));
        let ran = place.path().join(format!("ran.{kill}"));
        model.answer(runs(&format!("echo ran >> '{}'", ran.display())));
        let (client, id) = new_session(&daemon).await;
        send(&client, id, "Do it.").await;
        at.line().await;
        daemon.kill().await;
        std::fs::remove_file(file("hold")).unwrap();
        daemon.spawn().await;
        let client = connect(&daemon.socket()).await;
        Watch::from_start(&client, id)
            .await
            .until("turn_outcome")
            .await;
        let log = daemon.log(&id.to_string());
        check(&log, name);
        let ran = std::fs::read_to_string(&ran).unwrap_or_default();
        assert!(
            ran.lines().count() <= 1,
            "killed at {name}: the call has run twice"
        );
    }
}

/// Each call has one result, each turn one outcome, and a reminder that was recorded is there once for each time
/// that the hook has run.
fn check(log: &[Value], name: &str) {
    let mut results: HashMap<String, usize> = HashMap::new();
    for line in log {
        let message = &line["message"];
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_use" {
                results.entry(block["id"].to_string()).or_default();
            }
            if message["role"] == "tool_result" {
                *results.entry(block["toolUseId"].to_string()).or_default() += 1;
            }
        }
    }
    assert!(
        results.values().all(|count| *count == 1),
        "{name}: {results:?}"
    );
    let of = |kind: &str| log.iter().filter(|line| line["type"] == kind).count();
    assert_eq!(of("turn_outcome"), 1, "{name}");
    let outcome = log
        .iter()
        .find(|line| line["type"] == "turn_outcome")
        .unwrap();
    assert_eq!(outcome["reason"], "completed", "{name}: {outcome}");
    assert!(
        of("custom_message") >= 1,
        "{name}: what was injected is kept"
    );
}
