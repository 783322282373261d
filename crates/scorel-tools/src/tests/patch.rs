//! Edits against the system's `patch`.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use super::project::{Project, Session};

const ROUNDS: usize = 300;
const FILES: [&str; 6] = ["a.rs", "b/c.rs", "b/d.md", "e e.txt", "f/g/h.c", "i"];
const WORDS: [&str; 10] = [
    "fn", "let", "$&", "\\1", "é🦀", "\t", "  ", "}", "return", "\"x\"",
];

/// A line; in half of the files, some are the same.
fn line(random: &mut StdRng, unique: &mut u32) -> String {
    *unique += 1;
    let count = random.random_range(0..5);
    let words = (0..count).map(|_| WORDS[random.random_range(0..WORDS.len())]);
    let mut line = words.collect::<Vec<_>>().join(" ");
    if random.random_bool(0.7) {
        line.push_str(&format!(" {unique}"));
    }
    line
}

/// Text of lines with one kind of line end, some without a last one.
fn text(random: &mut StdRng, unique: &mut u32, end: &str) -> String {
    let count = random.random_range(40..120);
    let lines: Vec<String> = (0..count).map(|_| line(random, unique)).collect();
    let last = if random.random_bool(0.5) { end } else { "" };
    lines.join(end) + last
}

/// One replacement of whole lines, with lines around them until the old text is unique. As the model
/// writes it: with line feeds only.
fn replacement(random: &mut StdRng, unique: &mut u32, text: &str) -> Option<(String, String)> {
    let seen = text.replace("\r\n", "\n");
    let lines: Vec<&str> = seen.split_inclusive('\n').collect();
    let from = random.random_range(0..lines.len());
    let to = (from + random.random_range(0..4)).min(lines.len());
    let count = random.random_range(0..4);
    let new: Vec<String> = (0..count).map(|_| line(random, unique) + "\n").collect();
    let (mut first, mut last) = (from, to);
    while first > 0 || last < lines.len() {
        let old = lines[first..last].concat();
        if !old.is_empty() && seen.matches(&old).count() == 1 {
            let before = lines[first..from].concat();
            let after = lines[to..last].concat();
            let replaced = before + &new.concat() + &after;
            return (replaced != old).then_some((old, replaced));
        }
        first = first.saturating_sub(1);
        last = (last + 1).min(lines.len());
    }
    None
}

/// Applies a difference with the system's program; nothing of it may be left over or inexact.
fn patch(project: &Project, diff: &str) {
    let mut child = Command::new("patch")
        .args([
            "-p1",
            "--binary",
            "--fuzz=0",
            "--no-backup-if-mismatch",
            "-s",
        ])
        .current_dir(project.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(diff.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}\n{diff}");
}

#[test]
fn hundreds_of_edits_give_what_patch_gives() {
    if Command::new("patch").arg("--version").output().is_err() {
        println!("skipped: patch is not installed");
        return;
    }
    let mut random = StdRng::seed_from_u64(5);
    let mut unique = 0;
    let (edited, patched) = (Project::new(), Project::new());
    let mut expected: Vec<String> = Vec::new();
    for (number, name) in FILES.iter().enumerate() {
        let end = if number % 3 == 2 { "\r\n" } else { "\n" };
        let text = text(&mut random, &mut unique, end);
        edited.write(name, &text);
        patched.write(name, &text);
        expected.push(text);
    }
    let session = Session::on(&edited);
    FILES.iter().for_each(|name| drop(session.read(name)));
    let (mut made, mut calls) = (0, 0);
    while made < ROUNDS {
        let number = random.random_range(0..FILES.len());
        let text = &mut expected[number];
        let crlf = text.contains("\r\n");
        let mut edits: Vec<Value> = Vec::new();
        for _ in 0..random.random_range(1..4) {
            let Some((old, new)) = replacement(&mut random, &mut unique, text) else {
                continue;
            };
            let end = |text: &str| {
                if crlf {
                    text.replace('\n', "\r\n")
                } else {
                    text.to_owned()
                }
            };
            *text = text.replacen(&end(&old), &end(&new), 1);
            edits.push(json!({ "oldString": old, "newString": new }));
        }
        if edits.is_empty() || text.len() < 500 {
            *text = edited.content(FILES[number]);
            continue;
        }
        (made, calls) = (made + edits.len(), calls + 1);
        let answer = session.edits(FILES[number], Value::Array(edits));
        answer.ok();
        let diff = answer.details["diff"].as_str().unwrap();
        assert_eq!(answer.details["diffTruncated"], json!(false));
        patch(&patched, diff);
        assert_eq!(&edited.content(FILES[number]), text, "call {calls}");
        assert_eq!(
            &patched.content(FILES[number]),
            text,
            "call {calls}: {diff}"
        );
    }
    for name in FILES {
        assert_eq!(edited.content(name), patched.content(name));
    }
    println!("{made} edits in {calls} calls");
    let backup = fs::metadata(patched.path("a.rs.orig"));
    assert!(backup.is_err(), "patch was not exact");
}
