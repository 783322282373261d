//! The whole command line, verb by verb: help, shapes of `--json`, exit codes, typos, pipes, homes, shells.
//! A new verb fails these tests until it has its goldens.

mod completions;
mod daemonless;
mod exit_codes;
mod help;
mod homes;
mod json_scene;
mod json_shape;
mod json_verbs;
mod logs;
mod manual;
mod pipes;
mod refusals;
mod setup;
mod silent_daemon;
mod typos;
mod waiting_message;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::under_test::{SCORELCTL, SCORELD};

/// What a program prints for `--help`, with no variables and no home.
fn help(program: &str, verbs: &[&str]) -> String {
    let output = Command::new(program)
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", "/nonexistent")
        .args(verbs)
        .arg("--help")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{verbs:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The verbs of `scorelctl`.
fn verbs() -> Vec<String> {
    let output = Command::new(SCORELCTL)
        .args(["--json", "commands"])
        .env_clear()
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let names = lines.lines().map(|line| {
        let described: serde_json::Value = serde_json::from_str(line).unwrap();
        described["name"].as_str().unwrap().to_owned()
    });
    names.filter(|name| *name != "help").collect()
}

fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
