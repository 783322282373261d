//! `docs/cli.md` has what every verb says of itself, and is the golden of it.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use super::{help, listed, repository};
use crate::under_test::{SCORELCTL, SCORELD};

const REWRITE: &str = "SCOREL_REWRITE_DOCS";

const INTRODUCTION: &str = "\
<!-- Generated: SCOREL_REWRITE_DOCS=1 cargo it command_line::help -->

# Command line

What `--help` prints, for every command. The same text comes as manual pages (`man scorelctl-send`); `scorelctl completions`
prints the script for your shell. Exit codes, `--json` and what each of them is for are in [operations](operations.md#exit-codes).

";

#[test]
fn the_page_of_the_command_line_is_what_the_programs_say() {
    let mut page = Page::default();
    page.program("scorelctl", SCORELCTL);
    page.program("scoreld", SCORELD);
    let text = format!("{INTRODUCTION}{}\n{}", page.contents, page.text);
    let path = repository().join("docs/cli.md");
    if std::env::var_os(REWRITE).is_some() {
        fs::write(&path, &text).unwrap();
        return;
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    let lines = (1..).zip(text.lines().zip(there.lines()));
    let mut different = lines.filter(|(_, (now, there))| now != there);
    if let Some((line, (now, there))) = different.next() {
        panic!(
            "docs/cli.md:{line} has\n{there}\nbut it is\n{now}\nset {REWRITE}=1 to write it anew"
        );
    }
    assert_eq!(
        text.len(),
        there.len(),
        "docs/cli.md; set {REWRITE}=1 to write it anew"
    );
}

#[test]
fn no_help_text_has_an_escape_sequence_or_a_path_of_this_machine() {
    let mut page = Page::default();
    page.program("scorelctl", SCORELCTL);
    page.program("scoreld", SCORELD);
    assert!(!page.text.contains('\u{1b}'));
    for wrong in ["/nonexistent", "under-test", env!("CARGO_MANIFEST_DIR")] {
        assert!(!page.text.contains(wrong), "{wrong}");
    }
}

#[test]
fn help_for_the_commands_of_config_is_what_they_say() {
    for verbs in [&["config"][..], &["config", "set"], &["config", "show"]] {
        let output = Command::new(SCORELCTL)
            .env_clear()
            .env("SCORELD", SCORELD)
            .env("SCOREL_HOME", "/nonexistent")
            .arg("help")
            .args(verbs)
            .output()
            .unwrap();
        assert!(output.status.success(), "{verbs:?}: {output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, help(SCORELCTL, verbs), "{verbs:?}");
    }
}

#[derive(Default)]
struct Page {
    contents: String,
    text: String,
}

impl Page {
    fn program(&mut self, name: &str, program: &str) {
        writeln!(self.contents, "- [{name}](#{name})").unwrap();
        self.command(name, program, &[]);
    }

    fn command(&mut self, name: &str, program: &str, verbs: &[&str]) {
        let said = help(program, verbs).replace(&format!("{name}-under-test"), name);
        let title = [&[name][..], verbs].concat().join(" ");
        let level = "#".repeat(verbs.len() + 2);
        writeln!(
            self.text,
            "{level} {title}\n\n```text\n{}\n```\n",
            said.trim_end()
        )
        .unwrap();
        if verbs.len() == 1 {
            let anchor = title.replace(' ', "-");
            writeln!(self.contents, "  - [{}](#{anchor})", verbs[0]).unwrap();
        }
        // The overview names them in groups.
        let is_overview = program == SCORELCTL && verbs.is_empty();
        let listed = if is_overview {
            super::verbs()
        } else {
            listed(&said)
        };
        for verb in listed {
            self.command(name, program, &[verbs, &[&*verb]].concat());
        }
    }
}
