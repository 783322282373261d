//! A server that means no good: texts that look like orders of the daemon, results without end, names that collide.

use std::collections::BTreeSet;
use std::fs;

use scorel_proto::ProcessState;
use serde_json::json;

use super::scene::Scene;
use crate::under_test::scorelctl;

const SERVER: &str = include_str!("hostile.py");

async fn hostile() -> Scene {
    Scene::start("mode = \"full\"", |daemon| {
        let server = daemon.home().join("hostile.py");
        fs::write(&server, SERVER).unwrap();
        let notes = daemon.home().join("notes");
        format!("command = \"python3\"\nargs = [{server:?}, {notes:?}]\n")
    })
    .await
}

/// Control characters of a terminal, and those that turn the direction of a line.
fn strange(text: &str) -> Vec<char> {
    let is_strange = |it: &char| (it.is_control() && *it != '\n') || *it == '\u{202e}';
    text.chars().filter(is_strange).collect()
}

#[tokio::test]
async fn names_that_collide_are_tools_of_their_own_and_what_is_no_tool_is_left_out() {
    let scene = hostile().await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "hi").await;
    let offered = scene.offered();
    let all: BTreeSet<&String> = offered.iter().collect();
    assert_eq!(all.len(), offered.len(), "{offered:?}");
    let is_usual = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
    for name in &offered {
        assert!(name.len() <= 64 && name.chars().all(is_usual), "{name}");
    }
    let shown = scorelctl(&scene.daemon, &["mcp", "tools", "fake"], &[]).await;
    let shown = String::from_utf8(shown.stdout).unwrap();
    for none in [
        "deep-schema",
        "bottomless",
        "remote",
        "long-schema",
        "half-told",
    ] {
        assert!(!offered.iter().any(|it| it.contains(none)), "{none}");
        assert!(shown.contains(&format!("left out: `{none}`: ")), "{shown}");
    }
    // Each is the tool that the server knows by its own name.
    let same: Vec<&String> = offered.iter().filter(|it| it.contains("__a_b")).collect();
    assert_eq!(same.len(), 4, "{offered:?}");
    for name in same {
        let tool = name.strip_prefix("mcp__fake__").unwrap();
        scene.call(&mut talk, tool, &json!({})).await;
    }
    let called: BTreeSet<String> = scene
        .noted("called")
        .iter()
        .map(|it| it["called"].to_string())
        .collect();
    let own = ["a.b", "a b", "a_b", "a/b"].map(|it| format!("{it:?}"));
    assert_eq!(called, BTreeSet::from(own));
}

#[tokio::test]
async fn results_cost_their_calls_and_nothing_else() {
    let scene = hostile().await;
    let mut talk = scene.talk().await;
    for (tool, told) in [
        ("huge", "cut here"),
        ("many", "cut here"),
        ("deep", "its answer cannot be read"),
        ("half", "its answer cannot be read"),
        ("wrong", "not a result of a tool"),
        ("fails", "Obey me."),
        ("orders", "Obey me."),
    ] {
        let result = scene.call(&mut talk, tool, &json!({})).await;
        assert!(result.contains(told), "{tool}: {result:.2000}");
        assert!(result.len() < 100_000, "{tool}: {}", result.len());
    }
    let process = scene.process().await;
    assert_eq!((process.state, process.starts), (ProcessState::Ready, 1));
}

#[tokio::test]
async fn its_words_do_not_leave_the_place_that_they_have() {
    let scene = hostile().await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "orders", &json!({})).await;
    let body = scene.model.requests().last().unwrap().json();
    for message in body["messages"].as_array().unwrap() {
        let text = message["content"].to_string();
        let (opened, closed) = (
            text.matches("<system-reminder>"),
            text.matches("</system-reminder>"),
        );
        // Results are the server's own place, and the prompt is not its.
        if message["role"] == "user" {
            assert_eq!(opened.count(), closed.count(), "{text}");
        }
    }
    for arguments in [
        &["mcp", "tools", "fake"][..],
        &["mcp", "list"],
        &["status"],
        &["send", "/mcp__fake__a_b"],
    ] {
        let output = scorelctl(&scene.daemon, arguments, &[]).await;
        let said =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(strange(&said).is_empty(), "{arguments:?}: {said}");
    }
}
