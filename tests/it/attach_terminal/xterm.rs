//! Terminals of VS Code, and so of many editors, at least in how they reflow.

use std::path::Path;
use std::process::{Command, Stdio};

use scorel_testkit::{SeededDice, TerminalWindow};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use super::numbered::{Numbered, assert_whole};
use super::{attach, scene};
use crate::under_test::output_of;

const LINES: usize = 300;
const RESIZES: usize = 40;

/// The program that shows a recording; `None`, with a remark, where it cannot run.
fn replay() -> Option<tokio::process::Command> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("terminal");
    let why = if Command::new("node").arg("--version").output().is_err() {
        "node is not installed"
    } else if !dir.join("node_modules/@xterm/headless").exists() {
        "@xterm/headless is not installed: run `npm ci --prefix tests/terminal`"
    } else {
        let mut command = tokio::process::Command::new("node");
        command.arg(dir.join("replay.mjs")).kill_on_drop(true);
        return Some(command);
    };
    assert!(std::env::var_os("CI").is_none(), "{why}");
    println!("skipped: {why}");
    None
}

/// The terminal's contents after a recording.
async fn shown(mut replay: tokio::process::Command, recording: Vec<Value>) -> Value {
    let mut child = replay
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = recording.iter().map(|step| format!("{step}\n")).collect();
    let written = tokio::spawn(async move { input.write_all(lines.as_bytes()).await });
    let output = output_of(child).await;
    assert!(output.status.success(), "{output:?}");
    written.await.unwrap().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Sizes, and in between what was written.
fn recorded(window: &TerminalWindow) -> Vec<Value> {
    let (written, sizes) = (window.written(), window.sizes());
    let ends = sizes.iter().skip(1).map(|(at, _)| *at);
    let mut steps = Vec::new();
    for ((begin, (columns, rows)), end) in sizes.iter().zip(ends.chain([written.len()])) {
        steps.push(json!({"columns": columns, "rows": rows}));
        let bytes = &written[*begin..end];
        let text: String = bytes.iter().copied().map(char::from).collect();
        steps.push(json!({"write": text}));
    }
    steps
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_terminal_of_vs_code_each_line_is_there_once_too() {
    let (Some(replay), Some(fresh)) = (self::replay(), self::replay()) else {
        return;
    };
    let answer = Numbered::new(0..LINES, RESIZES);
    let chat = answer.chat().text("```\n\nThe end.").finish("stop");
    let (daemon, _model) = scene(chat.into()).await;
    let Some(mut window) = TerminalWindow::open(&attach(&daemon), 80, 24) else {
        return;
    };
    let mut dice = SeededDice::for_test("xterm");
    window.until("idle");
    window.says("go");
    window.until("running");
    for step in &answer.steps {
        step.gate.open();
        let columns = u16::try_from(dice.roll(30..120)).unwrap();
        let rows = u16::try_from(dice.roll(8..50)).unwrap();
        window.resize(columns, rows);
        match dice.index(0..4) {
            0 => window.types("x"),
            1 => window.types("\u{c}"),
            _ => window.until(&step.last()),
        }
    }
    window.resize(100, 30);
    window.until("The end.");
    window.until("idle");
    window.types("x");
    window.until("❯ x");
    window.types("\u{3}");
    window.until("cleared");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));

    let held = shown(replay, recorded(&window)).await;
    let lines = held["lines"].as_array().unwrap().iter();
    assert_whole(lines.filter_map(Value::as_str), LINES, 0);
    let fresh = shown(fresh, Vec::new()).await;
    assert_eq!(held["modes"], fresh["modes"]);
    assert_eq!(held["buffer"], "normal");
    // The answers to the question for the terminal's state, and nothing that would be typed text.
    let replies = held["replies"].as_str().unwrap();
    assert_eq!(replies.replace("\u{1b}[0n", ""), "");
}
