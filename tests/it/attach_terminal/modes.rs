//! The terminal is as it was, however the program ends or pauses.

use std::process::Command;

use nix::sys::signal::Signal;
use scorel_testkit::{DaemonUnderTest, TerminalWindow};

use super::{attach, said, scene};

/// Modes that the program sets, and the sequences that set and reset them.
const MODES: [(&str, &str, &str); 5] = [
    ("bracketed paste", "\u{1b}[?2004h", "\u{1b}[?2004l"),
    ("focus events", "\u{1b}[?1004h", "\u{1b}[?1004l"),
    ("keys with their modifiers", "\u{1b}[>1u", "\u{1b}[<u"),
    ("a hidden cursor", "\u{1b}[?25l", "\u{1b}[?25h"),
    ("no automatic wrapping", "\u{1b}[?7l", "\u{1b}[?7h"),
];

/// The names of the modes that what was written leaves set.
fn set(written: &[u8]) -> Vec<&'static str> {
    let written = String::from_utf8_lossy(written);
    let is_set = |set: &str, reset: &str| written.rfind(set) > written.rfind(reset);
    let modes = MODES.iter().filter(|(_, set, reset)| is_set(set, reset));
    modes.map(|(name, ..)| *name).collect()
}

async fn a_daemon() -> DaemonUnderTest {
    let (daemon, _model) = scene(said("Never.")).await;
    daemon
}

/// The settings must differ while the program runs, and be as before when it has ended in this way.
fn restored(daemon: &DaemonUnderTest, end: impl FnOnce(&mut TerminalWindow)) {
    // It changes nothing.
    let mut cat = Command::new("cat");
    let Some(untouched) = TerminalWindow::open(cat.current_dir(daemon.project()), 80, 24) else {
        return;
    };
    let before = untouched.settings();
    let mut window = TerminalWindow::open(&attach(daemon), 80, 24).unwrap();
    window.until("idle");
    assert_ne!(window.settings(), before, "raw");
    assert!(set(window.written()).contains(&"bracketed paste"));
    window.types("a draft");
    window.until("❯ a draft");
    end(&mut window);
    window.ended();
    assert_eq!(window.settings(), before);
    assert_eq!(set(window.written()), <[&str; 0]>::default());
}

/// A shell that edits no lines by itself.
fn shell(daemon: &DaemonUnderTest) -> Command {
    let program = attach(daemon);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-i", "-m"]).env("PS1", "ready$ ");
    let variables = program.get_envs();
    shell.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(daemon.project());
    shell
}

#[tokio::test(flavor = "multi_thread")]
async fn after_keys_and_signals_that_end_it_the_terminal_is_as_before() {
    let daemon = a_daemon().await;
    restored(&daemon, |window| {
        window.types("\u{3}");
        window.until("cleared");
        window.types("\u{4}");
    });
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT] {
        restored(&daemon, |window| window.signal(signal));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_it_is_suspended_the_terminal_is_as_before() {
    let daemon = a_daemon().await;
    let Some(mut window) = TerminalWindow::open(&shell(&daemon), 80, 24) else {
        return;
    };
    window.until("ready$");
    let before = window.settings();
    let program = attach(&daemon);
    let arguments: Vec<&str> = program.get_args().filter_map(|it| it.to_str()).collect();
    let line = format!(
        "{} {}",
        program.get_program().display(),
        arguments.join(" ")
    );
    window.types(&format!("{line}\n"));
    window.until("idle");
    let raw = window.settings();
    assert_ne!(raw, before);
    window.types("a draft");
    window.until("❯ a draft");
    for _ in 0..2 {
        let suspended = window.written().len();
        window.types("\u{1a}");
        window.until_it("the shell is back", |screen| {
            screen.trim_end().ends_with("ready$")
        });
        assert_eq!(window.settings(), before);
        assert_eq!(set(window.written()), <[&str; 0]>::default());
        assert!(window.written().len() > suspended);
        window.types("fg\n");
        window.until("❯ a draft");
        window.until("idle");
        assert_eq!(window.settings(), raw);
        assert!(set(window.written()).contains(&"bracketed paste"));
    }
    window.types(" goes on");
    window.until("❯ a draft goes on");
    window.types("\u{3}");
    window.until("cleared");
    window.types("\u{4}");
    window.until_it("the shell is back", |screen| {
        screen.trim_end().ends_with("ready$")
    });
    assert_eq!(window.settings(), before);
    assert_eq!(set(window.written()), <[&str; 0]>::default());
    window.types("exit\n");
    window.ended();
}
