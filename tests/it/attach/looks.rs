//! The screen as the environment says that the terminal is.

use scorel_testkit::{DaemonUnderTest, TerminalWindow};

use super::{program, said, scene};

const ANSWER: &str = "It is **short**:\n\n- use `len`\n- see [the book](https://example.org/)\n";

/// A conversation at a terminal of this size, with these variables.
fn talk(
    daemon: &DaemonUnderTest,
    size: (u16, u16),
    set: &[(&str, &str)],
) -> Option<TerminalWindow> {
    let mut command = program(daemon, &["attach", "--session", "new"]);
    command.envs(set.iter().copied());
    let mut window = TerminalWindow::open(&command, size.0, size.1)?;
    window.until("idle");
    window.says("How long?");
    window.until("use ");
    window.until("idle");
    Some(window)
}

/// The parameters of the sequences that style text.
fn styles(window: &TerminalWindow) -> Vec<String> {
    let written = String::from_utf8_lossy(window.written()).into_owned();
    let sequences = written.split("\u{1b}[").skip(1);
    let styles = sequences.filter_map(|it| {
        let end = it.find(|char: char| !char.is_ascii_digit() && char != ';')?;
        it[end..].starts_with('m').then(|| it[..end].to_owned())
    });
    styles.filter(|it| !it.is_empty() && it != "0").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_are_the_eight_that_each_terminal_has_and_none_with_no_color() {
    let (daemon, _model) = scene([said(ANSWER), said(ANSWER)]).await;
    let Some(window) = talk(&daemon, (80, 24), &[("TERM", "xterm-16color")]) else {
        return;
    };
    let used = styles(&window);
    assert!(used.iter().any(|it| it == "36"), "{used:?}");
    for style in used {
        let number: u8 = style.parse().unwrap();
        assert!(number < 10 || (30..38).contains(&number), "{style}");
    }
    let mut bare = talk(&daemon, (140, 40), &[("NO_COLOR", "1")]).unwrap();
    // The block of the caret is not a colour.
    assert!(styles(&bare).iter().all(|it| it == "7"));
    // Signs stand for styles then.
    bare.until("It is **short**:");
    bare.until("• use `len`");
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_locale_without_utf_8_everything_that_is_drawn_is_ascii() {
    let (daemon, _model) = scene([said(ANSWER), said(ANSWER)]).await;
    for size in [(80, 24), (140, 40)] {
        let Some(mut window) = talk(&daemon, size, &[("LC_ALL", "C")]) else {
            return;
        };
        window.until("* use len");
        window.types("\u{18}");
        window.until("typing filters");
        let screen = window.now();
        assert_eq!(
            screen.chars().find(|char| !char.is_ascii()),
            None,
            "{screen}"
        );
        window.types("\u{1b}");
        window.until_gone("typing filters");
        let screen = window.now();
        assert!(screen.contains("> How long?"), "{screen}");
    }
}
