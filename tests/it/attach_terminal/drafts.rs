//! Typed text outlives the program and its window.

use std::fs;
use std::process::Command;
use std::time::Instant;

use nix::sys::signal::Signal;
use scorel_testkit::{DaemonUnderTest, TerminalWindow};

use super::{attach, messages, said, scene, send};
use crate::full_disk::{WITH_MOUNTS, cannot_mount};
use crate::under_test::PATIENCE;

/// Mounts a tmpfs of 64 KiB over the directory, and runs the rest.
const SMALL_STATE: &str =
    r#"mount -t tmpfs -o size=64k,mode=700 scorel "$1" && shift && exec "$@""#;

fn window(daemon: &DaemonUnderTest) -> Option<TerminalWindow> {
    let mut window = TerminalWindow::open(&attach(daemon), 80, 24)?;
    window.until("idle");
    Some(window)
}

/// Waits until a draft that is kept has this text.
async fn kept(daemon: &DaemonUnderTest, text: &str) {
    let until = Instant::now() + PATIENCE;
    let dir = daemon.root().join(".local/state/scorel/drafts");
    let has_it = || {
        let files = fs::read_dir(&dir).into_iter().flatten().flatten();
        let mut texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
        texts.any(|draft| draft.contains(text))
    };
    while !has_it() {
        assert!(Instant::now() < until, "{text:?} is not kept");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_outlives_the_program_and_its_terminal() {
    let (daemon, model) = scene(said("An answer.")).await;
    let Some(mut killed) = window(&daemon) else {
        return;
    };
    killed.types("half a");
    killed.until("❯ half a");
    kept(&daemon, "half a").await;
    killed.signal(Signal::SIGKILL);
    drop(killed);

    // Nothing but the signal says that it is time to keep the rest.
    let mut told = window(&daemon).unwrap();
    told.until("❯ half a");
    told.types(" sentence");
    told.until("❯ half a sentence");
    told.signal(Signal::SIGHUP);
    told.ended();
    drop(told);

    let mut closed = window(&daemon).unwrap();
    closed.until("❯ half a sentence");
    closed.types(", and more");
    closed.until("❯ half a sentence, and more");
    closed.closes();

    let mut last = window(&daemon).unwrap();
    last.until("❯ half a sentence, and more");
    assert!(model.requests().is_empty(), "nothing was sent");
    send(&mut last, "half a sentence").await;
    last.until("An answer.");
    assert_eq!(messages(&daemon), ["half a sentence, and more"]);
    last.until("idle");
    last.types("\u{4}");
    assert_eq!(last.ended(), Some(0));
    let mut again = window(&daemon).unwrap();
    assert!(!again.now().contains("❯ half a sentence, and more\n──"));
    again.types("other");
    again.until("❯ other");
}

/// Types a text for which there is no room, hears so, and sends it whole.
async fn said_and_sent(mut window: TerminalWindow, daemon: &DaemonUnderTest) {
    window.until("idle");
    let text = "All of this counts.\n".repeat(10_000);
    window.pastes(format!("\u{1b}[200~{text}\u{1b}[201~").as_bytes());
    window.until("the draft cannot be saved: ");
    window.types("The end of it.");
    window.until("[paste 1: 10000 lines]The end of it.");
    send(&mut window, "[paste 1").await;
    window.until("An answer.");
    assert_eq!(messages(daemon), [format!("{text}The end of it.")]);
    window.until("idle");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said_and_loses_nothing_that_was_typed() {
    if let Some(reason) = cannot_mount() {
        println!("skipped: no file system of our own: {reason}");
        return;
    }
    let (daemon, _model) = scene(said("An answer.")).await;
    let state = daemon.root().join(".local/state");
    fs::create_dir_all(&state).unwrap();
    let attach = attach(&daemon);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WITH_MOUNTS, SMALL_STATE]).arg(&state);
    command.arg(attach.get_program()).args(attach.get_args());
    let variables = attach.get_envs();
    command.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(daemon.project());
    let Some(window) = TerminalWindow::open(&command, 80, 24) else {
        return;
    };
    said_and_sent(window, &daemon).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_directory_that_cannot_be_made_is_said_too() {
    let (daemon, _model) = scene(said("An answer.")).await;
    fs::write(daemon.root().join(".local"), "in the way").unwrap();
    let Some(window) = TerminalWindow::open(&attach(&daemon), 80, 24) else {
        return;
    };
    said_and_sent(window, &daemon).await;
}
