use std::ffi::OsString;

use clap_complete::engine::complete;

use clap::CommandFactory as _;

use super::typed_words::TypedWords;
use super::*;
use crate::commands::CliArguments;

/// The completions of the last word of a line.
fn candidates(line: &str) -> Vec<String> {
    candidates_in("/nonexistent", line)
}

fn candidates_in(home: &str, line: &str) -> Vec<String> {
    let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let at = words.len() - 1;
    let words_typed = TypedWords::typed(&format!("scorelctl --home {home}"));
    let mut command = with_completers(CliArguments::command(), &words_typed);
    let found = complete(&mut command, words, at, None).expect("completed");
    found
        .iter()
        .map(|it| it.get_value().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn verbs_options_and_values_are_completed() {
    assert_eq!(candidates("scorelctl comp"), ["compact", "completions"]);
    let shells = candidates("scorelctl completions ");
    assert!(
        shells.starts_with(&["bash", "zsh", "fish"].map(str::to_owned)),
        "{shells:?}"
    );
    assert_eq!(
        candidates("scorelctl --json send --while-running f"),
        ["follow-up"]
    );
    assert_eq!(candidates("scorelctl show --la"), ["--last"]);
    assert_eq!(candidates("scorelctl queue co"), ["convert"]);
    assert!(
        candidates("scorelctl show --session ").is_empty(),
        "no daemon runs"
    );
}

#[test]
fn machines_are_completed_by_name() {
    let home = tempfile::tempdir().expect("a directory");
    let device = |name: &str| serde_json::json!({"name": name, "address": "ssh:x"});
    let devices = serde_json::json!({"version": 1, "devices": [device("arm"), device("build")]});
    std::fs::write(home.path().join("devices.json"), devices.to_string()).expect("written");
    let home = home.path().to_str().expect("UTF-8");
    assert_eq!(candidates_in(home, "scorelctl remote remove b"), ["build"]);
    assert_eq!(
        candidates_in(home, "scorelctl sessions --remote "),
        ["arm", "build"]
    );
    assert!(candidates("scorelctl sessions --remote ").is_empty());
}

#[test]
fn hidden_commands_are_not_offered() {
    assert!(!candidates("scorelctl ").contains(&"man".to_owned()));
}
