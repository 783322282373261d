//! A key that is pasted, or comes through a pipe.

use std::process::{Command, Stdio};

use nix::sys::signal::Signal;
use scorel_testkit::Terminal;

use crate::init::{KEY, daemon, file, mode, names, put};
use crate::program::{Running, TestHome};

const OPENAI: &[&str] = &["init", "--provider", "openai", "--model", "gpt-x"];

/// A terminal that asks for the key.
fn asking(place: &TestHome) -> Option<Terminal> {
    let mut terminal = Terminal::start(&place.command(OPENAI))?;
    terminal.until("OPENAI_API_KEY (paste it, it is not shown): ");
    assert!(!terminal.echoes(), "the prompt comes after the echo is off");
    Some(terminal)
}

#[test]
fn a_pasted_key_is_written_and_never_shown() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let Some(mut terminal) = asking(&place) else {
        return;
    };
    terminal.types(&format!("{KEY}\n"));
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
    assert!(shown.contains("wrote OPENAI_API_KEY to"), "{shown}");
    assert_eq!(file(&place, "env"), format!("OPENAI_API_KEY={KEY}\n"));
    assert_eq!(mode(&place.home().join("env")), 0o600);
    assert_eq!(
        names(&place),
        ["config.toml", "env"],
        "nothing else is left"
    );
    assert_eq!(daemon.calls("checkModel").len(), 1);
}

#[test]
fn however_the_question_ends_the_terminal_is_as_before_and_nothing_is_written() {
    type End = fn(&mut Terminal);
    let ends: &[(&str, End, i32)] = &[
        ("Ctrl-C", |it| it.types("\u{3}"), 130),
        ("Ctrl-\\", |it| it.types("\u{1c}"), 130),
        ("Ctrl-D", |it| it.types("\u{15}\u{4}"), 130),
        ("a blank line", |it| it.types("\u{15}\n"), 2),
        ("a key with Ctrl-Z in it", |it| it.types("\u{1a}\n"), 2),
        ("SIGINT", |it| it.signal(Signal::SIGINT), 130),
        ("SIGTERM", |it| it.signal(Signal::SIGTERM), 130),
        ("SIGHUP", |it| it.signal(Signal::SIGHUP), 130),
        ("SIGQUIT", |it| it.signal(Signal::SIGQUIT), 130),
    ];
    for (name, end, expected) in ends {
        let place = TestHome::new();
        let _daemon = daemon(&place);
        let Some(mut terminal) = asking(&place) else {
            return;
        };
        terminal.types("sk-canary");
        end(&mut terminal);
        let (code, shown) = terminal.ended();
        assert_eq!(code, Some(*expected), "{name}: {shown}");
        assert!(!shown.contains("canary"), "{name}: {shown}");
        assert!(names(&place).is_empty(), "{name}");
    }
}

#[test]
fn the_trial_can_be_interrupted_after_a_key_was_pasted() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    daemon.hold("checkModel");
    let Some(mut terminal) = asking(&place) else {
        return;
    };
    terminal.types(&format!("{KEY}\n"));
    terminal.until("testing openai/gpt-x");
    terminal.types("\u{3}");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(130), "{shown}");
    assert_eq!(names(&place), ["config.toml", "env"]);
}

#[test]
fn without_any_key_a_provider_can_be_chosen_at_the_terminal() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    // No local server either.
    let mut listed = daemon.answered("listModels");
    listed["providers"][2]["live"] = false.into();
    daemon.answer("listModels", listed);
    let Some(mut terminal) = Terminal::start(&place.command(&["init"])) else {
        return;
    };
    terminal.until("provider [1]: ");
    terminal.types("anthropic\n");
    terminal.until("ANTHROPIC_API_KEY (paste it, it is not shown): ");
    terminal.types(&format!("{KEY}\n"));
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(file(&place, "env"), format!("ANTHROPIC_API_KEY={KEY}\n"));
    let expected = "[model]\nprovider = \"anthropic\"\nid = \"claude-x\"\n";
    assert_eq!(file(&place, "config.toml"), expected);
}

#[test]
fn a_line_that_a_terminal_may_have_cut_off_is_refused() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    let Some(mut terminal) = asking(&place) else {
        return;
    };
    terminal.types(&"k".repeat(4095));
    terminal.types("\n");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("through a pipe"), "{shown}");
    assert!(names(&place).is_empty());
}

#[test]
fn a_key_comes_through_a_pipe() {
    for input in [
        format!("{KEY}\n"),
        KEY.to_owned(),
        format!(" {KEY}\r\nmore\n"),
    ] {
        let place = TestHome::new();
        let _daemon = daemon(&place);
        let ended = place.run_with(OPENAI, &input);
        ended.assert_code(0);
        let shown = format!("{}{}", ended.out, ended.err);
        assert!(!shown.contains("canary"), "{shown}");
        assert_eq!(file(&place, "env"), format!("OPENAI_API_KEY={KEY}\n"));
        assert_eq!(mode(&place.home().join("env")), 0o600);
    }
}

#[test]
fn a_long_key_comes_through_a_pipe_and_too_long_a_one_does_not() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    let key = "k".repeat(8 * 1024);
    place.run_with(OPENAI, &key).assert_code(0);
    assert_eq!(file(&place, "env"), format!("OPENAI_API_KEY={key}\n"));
    for (input, says) in [
        ("k".repeat(17 * 1024), "longer than"),
        ("sk\u{7}canary".to_owned(), "control characters"),
    ] {
        let place = TestHome::new();
        let _daemon = daemon(&place);
        let ended = place.run_with(OPENAI, &input);
        ended.assert_code(2);
        assert!(ended.err.contains(says), "{}", ended.err);
        assert!(!ended.err.contains("canary") && !ended.err.contains("kkk"));
        assert!(names(&place).is_empty());
    }
}

#[test]
fn a_key_is_replaced_when_the_user_says_so() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    put(&place, "env", "OTHER=1\nOPENAI_API_KEY=wrong\n");
    let mut asked = OPENAI.to_vec();
    asked.push("--ask-key");
    let refused = place.run_with(&asked, KEY);
    refused.assert_code(3);
    assert!(
        refused.err.contains("--force adds OPENAI_API_KEY"),
        "{}",
        refused.err
    );
    asked.push("--force");
    let mut command: Command = place.command(&asked);
    command
        .env("OPENAI_API_KEY", "of-the-environment")
        .stdin(Stdio::piped());
    let mut running = Running::start(&mut command);
    let mut stdin = running.child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, KEY.as_bytes()).expect("written");
    drop(stdin);
    let ended = running.wait();
    ended.assert_code(0);
    assert_eq!(
        file(&place, "env"),
        format!("OTHER=1\nOPENAI_API_KEY={KEY}\n")
    );
}

#[test]
fn a_provider_without_a_key_is_not_asked_for_one() {
    let place = TestHome::new();
    let _daemon = daemon(&place);
    let ended = place.run_with(
        &[
            "init",
            "--provider",
            "ollama",
            "--model",
            "qwen3",
            "--ask-key",
        ],
        KEY,
    );
    ended.assert_code(2);
    assert!(ended.err.contains("--key-env"), "{}", ended.err);
    assert!(names(&place).is_empty());
}
