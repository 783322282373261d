//! A terminal that takes 4 KiB a second, in front of a model that gives 1,000 pieces in the same time.

use std::fs;
use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedChat, TerminalWindow};

use super::{attach, scene, send};
use crate::under_test::PATIENCE;

/// The pieces come, and the terminal reads, ten times a second.
const PERIOD: Duration = Duration::from_millis(100);
const PIECES: usize = 100;
const READ: usize = 410;

/// More than what is kept for such a terminal at most: finished lines and one frame.
const MORE_KIB: u64 = 48 << 10;

/// The peak of the process's memory, in KiB.
fn peak_kib(window: &TerminalWindow) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", window.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_terminal_costs_little_memory_and_ends_up_right() {
    let seconds = match std::env::var_os("SCOREL_LONG") {
        Some(_) => 20,
        // Lines that have waited for five are skipped.
        None => 7,
    };
    let gates: Vec<ResponseGate> = (0..seconds * 10).map(|_| ResponseGate::new()).collect();
    let mut chat = ScriptedChat::default();
    for (at, gate) in gates.iter().enumerate() {
        chat = chat.wait(gate);
        for piece in 0..PIECES {
            let text = format!("paragraph {at}, {piece}: {}\n\n", "some words ".repeat(8));
            chat = chat.text(&text);
        }
    }
    let (daemon, _model) = scene(chat.text("The end.").finish("stop").into()).await;
    let Some(mut window) = TerminalWindow::open(&attach(&daemon), 80, 24) else {
        return;
    };
    window.until("idle");
    window.types("go");
    window.until("❯ go");
    send(&mut window, "❯ go").await;
    window.until("running");
    let before = peak_kib(&window);

    let mut typed = String::new();
    let mut since = None;
    let mut echoes = Vec::new();
    for (at, gate) in gates.iter().enumerate() {
        gate.open();
        let next = Instant::now() + PERIOD;
        let screen = window.reads(READ);
        let is_shown = screen.contains(&format!("❯ {typed}"));
        if is_shown && let Some(typed_at) = since.take() {
            echoes.push(Instant::now().duration_since(typed_at));
        }
        if since.is_none() && at % 5 == 0 {
            typed.push('q');
            window.types("q");
            since = Some(Instant::now());
        }
        tokio::time::sleep_until(next.into()).await;
    }
    let until = Instant::now() + PATIENCE;
    let is_over = |screen: &str| screen.contains("The end.") && screen.contains("idle");
    while !is_over(&window.now()) {
        assert!(Instant::now() < until, "{}", window.now());
        tokio::time::sleep(PERIOD).await;
    }
    let peak = peak_kib(&window);
    println!(
        "slow terminal: {before} KiB before, {peak} KiB at most; keys echoed after {echoes:?}"
    );
    assert!(peak < before + MORE_KIB, "{before} KiB, then {peak} KiB");
    window.until(&format!("❯ {typed}"));
    let rows = window.all_rows().join("\n");
    assert_eq!(rows.matches("The end.").count(), 1);
    let written = String::from_utf8_lossy(window.written());
    assert!(written.contains("lines skipped: Ctrl+O"));
    window.types("\u{3}");
    window.until("cleared");
    window.types("\u{4}");
    assert_eq!(window.ended(), Some(0));
}
