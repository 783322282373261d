use std::ffi::OsString;

use clap_complete::engine::complete;

use clap::CommandFactory as _;

use super::typed_words::TypedWords;
use super::*;
use crate::commands::CliArguments;

/// The completions of the last word of a line.
fn candidates(line: &str) -> Vec<String> {
    let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let at = words.len() - 1;
    let words_typed = TypedWords::typed("scorelctl --home /nonexistent");
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
fn hidden_commands_are_not_offered() {
    assert!(!candidates("scorelctl ").contains(&"man".to_owned()));
}
