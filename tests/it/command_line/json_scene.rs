use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Map, Value, json};

use super::json_shape;
use crate::under_test::{SCORELCTL, daemon, scorelctl};

const CONFIG: &str = "\
[agents.reviewer]
description = \"Reads.\"

[permissions]
ask = [\"Bash(rm *)\"]
";

/// A home in which one command line after the other is run, and what each has printed looks like.
pub(super) struct JsonScene {
    pub(super) daemon: DaemonUnderTest,
    pub(super) model: ModelServer,
    /// By verb: the command line, its exit code and the shapes of its output.
    seen: BTreeMap<String, Map<String, Value>>,
}

impl JsonScene {
    pub(super) async fn new() -> Self {
        let model = ModelServer::start().await.unwrap();
        model.fallback(
            ScriptedChat::default()
                .text("Done.")
                .usage(100, 10)
                .finish("stop"),
        );
        let daemon = daemon(&model, CONFIG).await;
        write_ssh(&daemon.root().join("ssh-bin"));
        Self {
            daemon,
            model,
            seen: BTreeMap::new(),
        }
    }

    /// The next answer of the model is a call of a tool.
    pub(super) fn calls(&self, tool: &str, arguments: &Value) {
        let chat = ScriptedChat::default().tool_call("call_1", tool, &arguments.to_string());
        self.model.answer(chat.usage(100, 10).finish("tool_calls"));
    }

    /// Runs a command line, and returns what it printed. Words in `given` stand for others.
    pub(super) async fn run(&mut self, line: &str, given: &[(&str, &str)]) -> Vec<Value> {
        let words = line.split(' ').map(|word| {
            let found = given.iter().find(|(name, _)| *name == word);
            found.map_or(word, |(_, value)| value)
        });
        let words: Vec<&str> = std::iter::once("--json").chain(words).collect();
        let path = format!("{}/ssh-bin:/usr/bin:/bin", self.daemon.root().display());
        let variables = [("PATH", &*path), ("EDITOR", "true")];
        let output = scorelctl(&self.daemon, &words, &variables).await;
        self.keep(line, &output)
    }

    fn keep(&mut self, line: &str, output: &Output) -> Vec<Value> {
        let lines = |bytes: &[u8]| -> Vec<Value> {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let parsed = text.lines().map(|it| {
                serde_json::from_str(it).unwrap_or_else(|_| panic!("{line}: not JSON: {it}"))
            });
            parsed.collect()
        };
        let (mut out, err) = (lines(&output.stdout), lines(&output.stderr));
        if line == "doctor" {
            // Which checks have one depends on the machine.
            out.iter_mut().for_each(without_hints);
        }
        // Which states of a task are seen, and whether its summary was written, depends on how fast the
        // agent was.
        if line.starts_with("spawn --wait") {
            out.retain(|it| it["type"] != "runtime_changed");
        }
        out.iter_mut().for_each(without_summaries);
        let mut shape = json!({"exit": output.status.code(), "out": json_shape::of_lines(&out)});
        if !err.is_empty() {
            shape["err"] = json_shape::of_lines(&err);
        }
        let verb = line.split(' ').next().unwrap().to_owned();
        self.seen
            .entry(verb)
            .or_default()
            .insert(line.to_owned(), shape);
        out
    }

    pub(super) fn verbs(&self) -> impl Iterator<Item = &str> {
        self.seen.keys().map(String::as_str)
    }

    /// Compares each verb with its golden file, or writes that anew.
    pub(super) fn check(&self, directory: &Path, rewrite: bool) {
        let mut different = Vec::new();
        for (verb, shapes) in &self.seen {
            let path = directory.join(format!("{verb}.json"));
            let text = format!("{:#}\n", Value::Object(shapes.clone()));
            if rewrite {
                std::fs::create_dir_all(directory).unwrap();
                std::fs::write(&path, &text).unwrap();
                continue;
            }
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            let lines = (1..).zip(text.lines().zip(golden.lines()));
            let first = lines.clone().find(|(_, (now, golden))| now != golden);
            if let Some((line, (now, golden))) = first {
                different.push(format!("{verb}.json:{line} has {golden}, but it is {now}"));
            } else if text.len() != golden.len() {
                different.push(format!("{verb}.json is of another length"));
            }
        }
        assert!(different.is_empty(), "{}", different.join("\n"));
    }
}

/// An `ssh` to whatever host, which is this machine.
fn write_ssh(directory: &Path) {
    std::fs::create_dir(directory).unwrap();
    let program = directory.join("ssh");
    std::fs::write(&program, format!("#!/bin/sh\nexec {SCORELCTL} stdio\n")).unwrap();
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
}

/// Removes the summaries of tasks.
fn without_summaries(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_summaries),
        Value::Object(fields) => {
            if fields.contains_key("status") {
                // `remove` would change the order of the others.
                fields.retain(|key, _| key != "summary");
            }
            fields.values_mut().for_each(without_summaries);
        }
        _ => {}
    }
}

fn without_hints(report: &mut Value) {
    let checks = report["checks"].as_array_mut().unwrap();
    for check in checks.iter_mut().filter_map(Value::as_object_mut) {
        check.remove("hint");
    }
}
