//! Each test runs itself once more, as a program at a terminal.

use std::env;
use std::fs;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::Command;
use std::thread;

use scorel_testkit::TerminalWindow;
use tempfile::TempDir;

use super::super::Keyboard;
use super::*;

/// The directory in which the program at the terminal says how far it is.
const PLACE: &str = "SCOREL_TEST_PLACE";

/// More than what the kernel holds for a terminal that reads nothing.
const LINES: usize = 20_000;

const DEADLINE: Duration = Duration::from_secs(60);

/// The program's place and its terminal, in which the test itself runs.
fn window(place: &TempDir, test: &str) -> Option<TerminalWindow> {
    let mut command = Command::new(env::current_exe().unwrap());
    let name = format!("terminal::screen::tests::{test}");
    command
        .args(["--exact", "--nocapture", &name])
        .env(PLACE, place.path())
        .current_dir("/");
    TerminalWindow::open(&command, 80, 24)
}

async fn draw_all(screen: &mut Screen) {
    while screen.is_behind() {
        screen.ready().await;
        screen.draw(|_| Live::default());
    }
}

async fn end(mut screen: Screen, guard: TerminalGuard, keyboard: Keyboard) {
    screen.close().await;
    drop(keyboard);
    guard.restore();
}

/// Closes the screen in front of a terminal that has stopped, then lets another program have it.
async fn give_away(place: &Path) {
    let guard = TerminalGuard::new().unwrap();
    let mut screen = Screen::new(Theme::PLAIN, &guard).unwrap();
    let keyboard = Keyboard::new(&screen).unwrap();
    let line = |number| Line::plain(&format!("line {number:05}."), Style::Text);
    screen.print((0..LINES).map(line).collect());
    screen.close().await;
    drop(keyboard);
    guard.restore();
    fs::write(place.join("restored"), "").unwrap();
    stdout().write_all(b"another program ").unwrap();
    stdout().flush().unwrap();
    // No frame is under way any more.
    screen.ready().await;
    stdout().write_all(b"has the terminal\n").unwrap();

    let keyboard = Keyboard::new(&screen).unwrap();
    guard.set().unwrap();
    screen.redraw();
    draw_all(&mut screen).await;
    end(screen, guard, keyboard).await;
}

/// The numbers of the lines that are whole.
fn numbers(written: &str) -> Vec<usize> {
    let whole = |text: &str| text.get(..6)?.strip_suffix('.')?.parse().ok();
    written.split("line ").skip(1).filter_map(whole).collect()
}

/// The number of lines that were skipped, as what was written says.
fn skipped(written: &str) -> usize {
    let notes = written.split("… ").skip(1);
    let counts = notes.filter_map(|it| it.split_once(" lines skipped: Ctrl+O"));
    counts
        .map(|(count, _)| count.parse::<usize>().unwrap())
        .sum()
}

#[tokio::test]
async fn nothing_of_a_frame_comes_when_another_program_has_the_terminal() {
    if let Some(place) = env::var_os(PLACE) {
        return give_away(Path::new(&place)).await;
    }
    let place = tempfile::tempdir().unwrap();
    let test = "nothing_of_a_frame_comes_when_another_program_has_the_terminal";
    let Some(mut window) = window(&place, test) else {
        return;
    };
    let until = Instant::now() + DEADLINE;
    while !place.path().join("restored").exists() {
        assert!(Instant::now() < until, "{}", window.now());
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(window.ended(), Some(0), "{}", window.now());
    let written = String::from_utf8_lossy(window.written());
    let Some((before, after)) = written.split_once("another program has the terminal") else {
        panic!("{written:?}");
    };
    let shown = [numbers(before), numbers(after)].concat();
    assert!(shown.is_sorted_by(|one, next| one < next), "{shown:?}");
    assert_eq!(shown.last(), Some(&(LINES - 1)));
    assert_eq!(skipped(before), 0);
    let told = shown.len() + skipped(after);
    assert!(told >= LINES, "{told}");
}

/// Sets the modes again and again in the middle of a long frame, as Ctrl+L does.
async fn set_again() {
    let guard = TerminalGuard::new().unwrap();
    let mut screen = Screen::new(Theme::PLAIN, &guard).unwrap();
    let keyboard = Keyboard::new(&screen).unwrap();
    screen.send(&copied());
    screen.ready().await;
    screen.draw(|_| Live::default());
    while screen.writer.is_busy() {
        screen.send(guard.set_again().unwrap());
        thread::sleep(Duration::from_millis(1));
    }
    screen.redraw();
    draw_all(&mut screen).await;
    end(screen, guard, keyboard).await;
}

/// A text for the clipboard.
fn copied() -> Vec<u8> {
    let text = "QUJD".repeat(MAX_SEQUENCES / 4);
    format!("\x1b]52;c;{text}\x1b\\").into_bytes()
}

#[tokio::test]
async fn the_modes_are_set_again_between_two_frames() {
    if env::var_os(PLACE).is_some() {
        return set_again().await;
    }
    let place = tempfile::tempdir().unwrap();
    let Some(mut window) = window(&place, "the_modes_are_set_again_between_two_frames") else {
        return;
    };
    assert_eq!(window.ended(), Some(0), "{}", window.now());
    let copied = copied();
    let mut written = window.written().windows(copied.len());
    assert!(written.any(|bytes| bytes == copied), "not in one piece");
    let sequence = b"\x1b[<u\x1b[?2004h";
    let mut written = window.written().windows(sequence.len());
    assert!(written.any(|bytes| bytes == sequence), "not set again");
}
