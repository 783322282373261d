//! Commands that are prepared and not started yet.

use std::fs;

use libtest_mimic::Trial;

use crate::session::{Session, ToolAnswer};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_command_starts_when_its_call_runs", starts),
        trial("a_call_that_does_not_run_starts_nothing", starts_nothing),
        trial("a_command_that_waited_is_prepared_again", is_prepared_again),
    ]
}

async fn starts() {
    let session = Session::new();
    let begun = session.begin_bash("echo x > made").await;
    // Preparing this one and running it takes longer than preparing that one.
    session.bash("true").await;
    assert!(!session.path("project/made").exists());
    let answer = ToolAnswer::of(begun).await;
    assert!(!answer.is_error, "{answer:?}");
    assert!(session.path("project/made").exists());
}

async fn starts_nothing() {
    let session = Session::new();
    drop(session.begin_bash("echo x > made").await);
    session.bash("true").await;
    assert!(!session.path("project/made").exists());
}

/// What a person did meanwhile is not put back.
async fn is_prepared_again() {
    let session = Session::new();
    let begun = session.begin_bash("echo ran").await;
    session.bash("sleep 0.2").await;
    let file = session.path("project/.bashrc");
    fs::write(&file, "a person's").unwrap();
    let answer = ToolAnswer::of(begun).await;
    assert!(answer.text.starts_with("ran\n"), "{answer:?}");
    assert_eq!(fs::read_to_string(file).unwrap(), "a person's");
}
