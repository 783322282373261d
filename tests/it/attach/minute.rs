//! A newcomer's first minute, of which the tutorial shows the rows that matter.

use std::fs;
use std::path::Path;
use std::process::Command;

use scorel_testkit::{DaemonUnderTest, TerminalWindow};

use super::program;
use crate::under_test::{SCORELCTL, SCORELD};

/// An empty home, whose daemon is the one that `scorelctl` starts.
struct Newcomer {
    place: DaemonUnderTest,
}

impl Newcomer {
    fn new() -> Self {
        let place = DaemonUnderTest::new(SCORELD);
        fs::write(place.project().join("README.md"), "# Hello\n").unwrap();
        Self { place }
    }

    fn scorelctl(&self) -> Option<TerminalWindow> {
        TerminalWindow::open(&program(&self.place, &[]), 80, 24)
    }

    /// The contents of a terminal, with the path and the session of the tutorial.
    fn told(&self, screen: &str) -> String {
        let project = self.place.project();
        let screen = screen.replace(project.to_str().unwrap(), "/home/you/hello");
        let mut told = String::new();
        for line in screen.lines() {
            told.push_str(&with_session(line.trim_end(), "K7QMVG"));
            told.push('\n');
        }
        told.trim_matches('\n').to_owned() + "\n"
    }
}

impl Drop for Newcomer {
    fn drop(&mut self) {
        let mut stop = Command::new(SCORELCTL);
        // A daemon that is not there needs no stop.
        let _ended = stop
            .arg("--home")
            .arg(self.place.home())
            .arg("stop")
            .output();
    }
}

/// Puts another session's six characters where a line names one.
fn with_session(line: &str, session: &str) -> String {
    for before in ["session (", "--session "] {
        if let Some((head, tail)) = line.split_once(before)
            && let Some(rest) = tail.get(session.len()..)
        {
            return format!("{head}{before}{session}{rest}");
        }
    }
    line.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_an_answer_and_a_way_back_are_as_the_tutorial_shows_them() {
    let newcomer = Newcomer::new();
    let Some(mut window) = newcomer.scorelctl() else {
        return;
    };
    window.until("idle");
    window.says("What is in this directory?");
    window.until("For real answers");
    window.until("idle");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
    is_in_the_tutorial(&newcomer.told(&window.all_rows().join("\n")));

    let mut again = newcomer.scorelctl().expect("as before");
    again.until("For real answers");
    again.until("idle");
    again.types("\u{4}");
    assert_eq!(again.ended(), Some(0));
    let rows = again.all_rows().join("\n");
    assert_eq!(
        rows.matches("❯ What is in this directory?").count(),
        1,
        "{rows}"
    );
}

/// Compares what a terminal shows with the tutorial, which leaves rows out.
#[track_caller]
fn is_in_the_tutorial(now: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tutorial.md");
    let page = fs::read_to_string(&path).unwrap();
    let (_, block) = page.split_once("```text\n~/hello$ scorelctl\n").unwrap();
    let (told, _) = block.split_once("```").unwrap();
    let mut rows = now.lines();
    for line in told.lines().filter(|line| *line != "…") {
        assert!(rows.any(|row| row == line), "{line:?} is not so:\n{now}");
    }
}
