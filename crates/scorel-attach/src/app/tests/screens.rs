//! The rows below the conversation as terminals of several kinds get them.

use scorel_proto::{PermissionRequestId, ProjectId, Queue, SessionView};
use scorel_screen::{Line, Theme, width};
use serde_json::json;

use super::{App, Input, Key, Size, Typed, app, press, types};
use crate::card::DrawnCard;

const SMALL: Size = Size {
    columns: 80,
    rows: 24,
};

const LARGE: Size = Size {
    columns: 140,
    rows: 40,
};

const ASCII: Theme = Theme {
    unicode: false,
    ..Theme::PLAIN
};

const COLOURS: Theme = Theme {
    colours: true,
    unicode: true,
    links: true,
};

/// Persian, Hindi, CJK and a family, each with its columns.
const SCRIPTS: [(&str, usize); 4] = [
    ("می\u{200c}خواهم", 7),
    ("नमस्ते", 4),
    ("漢字かな", 8),
    ("👩\u{200d}👩\u{200d}👧\u{200d}👦é", 3),
];

fn words() -> String {
    SCRIPTS.map(|(word, _)| word).join(" ")
}

/// A question about a text in all scripts, and a draft.
fn asked() -> (App, tempfile::TempDir) {
    let (mut app, dir) = app(false);
    let question = json!({
        "sessionId": app.session_id(), "projectId": ProjectId::generate(), "askedAt": 1,
        "requestId": PermissionRequestId::generate(), "toolCallId": "c", "toolName": "Write",
        "input": {"path": "a.txt", "content": format!("{}\n", words())}, "reason": "mode ask, no rule",
        "rules": ["Write(a.txt)"],
    });
    let question = serde_json::from_value(question).expect("a question");
    app.host.is_live = true;
    app.host.opened([question]);
    types(&mut app, "half a sentence");
    (app, dir)
}

/// A message that waits, and a draft.
fn queued() -> (App, tempfile::TempDir, SessionView) {
    let (mut app, dir) = app(false);
    let queue = json!({"version": 1, "paused": false, "items": [{
        "queueItemId": scorel_proto::QueueItemId::generate(), "kind": "followUp",
        "content": [{"type": "text", "text": words()}], "clientId": "daemon", "ts": 1,
    }]});
    let mut view = SessionView::default();
    view.state.queue = serde_json::from_value::<Queue>(queue).expect("a queue");
    types(&mut app, "then this");
    (app, dir, view)
}

fn painted(app: &mut App, size: Size, theme: Theme, view: &SessionView) -> Vec<String> {
    let (live, _) = app.live(size, view);
    for line in &live.lines {
        let wide = width(&line.text());
        assert!(wide <= usize::from(size.columns), "{wide}: {}", line.text());
    }
    live.lines.iter().map(|line| theme.paint(line)).collect()
}

fn rule(head: &str, sign: &str, columns: usize) -> String {
    format!("{head}{}", sign.repeat(columns - width(head)))
}

#[test]
fn a_question_at_80_and_140_columns_without_colours() {
    let (mut app, _dir) = asked();
    for size in [SMALL, LARGE] {
        let columns = usize::from(size.columns);
        let expected = [
            rule("─ Write asks: mode ask, no rule ", "─", columns),
            "path: a.txt".to_owned(),
            "content:".to_owned(),
            // Joiners too: what is asked about is shown exactly.
            words()
                .replace('\u{200c}', "⟨200c⟩")
                .replace('\u{200d}', "⟨200d⟩"),
            String::new(),
            "in  · s, a add: Write(a.txt)".to_owned(),
            "Ctrl+Y, then  y once  s session  a always here  n no, and why".to_owned(),
            "─".repeat(40),
            "❯ half a sentence".to_owned(),
            "idle · live".to_owned(),
        ];
        let shown = painted(&mut app, size, Theme::PLAIN, &SessionView::default());
        assert_eq!(shown, expected, "{columns}");
    }
}

#[test]
fn a_message_that_waits_at_80_and_140_columns_in_ascii() {
    let (mut app, _dir, view) = queued();
    for size in [SMALL, LARGE] {
        let columns = usize::from(size.columns);
        let expected = [
            format!("- next follow-up: {}  ^ edits", words()),
            "-".repeat(40),
            "> then this".to_owned(),
            "idle | live".to_owned(),
        ];
        assert_eq!(painted(&mut app, size, ASCII, &view), expected, "{columns}");
    }
    let (mut app, _dir) = asked();
    let shown = painted(&mut app, SMALL, ASCII, &SessionView::default()).concat();
    let content = words();
    let foreign = |char: &char| !char.is_ascii() && !content.contains(*char);
    assert_eq!(shown.chars().find(foreign), None, "{shown}");
}

#[test]
fn the_colours_are_those_that_every_terminal_has() {
    let (mut app, _dir) = asked();
    press(&mut app, Key::Ctrl('y'));
    let (mut other, _other_dir, view) = queued();
    let mut shown = painted(&mut app, SMALL, COLOURS, &SessionView::default());
    shown.extend(painted(&mut other, LARGE, COLOURS, &view));
    let text = shown.concat();
    let codes = text.split("\x1b[").skip(1);
    let codes: Vec<&str> = codes.map(|it| it.split('m').next().unwrap_or(it)).collect();
    assert!(codes.contains(&"1") && codes.contains(&"2"), "{codes:?}");
    for code in codes {
        // Weight and the eight colours, no number that means a palette or a mixed colour.
        let number: u8 = code.parse().expect("one number");
        assert!(number < 10 || (30..38).contains(&number), "{code}");
    }
    let (mut app, _dir) = asked();
    let bare = painted(&mut app, SMALL, Theme::PLAIN, &SessionView::default());
    assert!(!bare.concat().contains('\x1b'), "{bare:?}");
}

#[test]
fn the_caret_stands_in_the_column_after_each_script() {
    let (mut app, _dir) = app(false);
    let mut column = 2;
    for (word, columns) in SCRIPTS {
        app.update(
            Input::Typed(Typed::Paste(word.to_owned())),
            &SessionView::default(),
        );
        column += columns;
        let (live, _) = app.live(SMALL, &SessionView::default());
        assert_eq!(live.caret, Some((1, column)), "{word}");
    }
    // A row that is full of them breaks between two of them.
    for _ in 0..20 {
        app.update(Input::Typed(Typed::Paste(words())), &SessionView::default());
    }
    for size in [SMALL, LARGE] {
        let shown = painted(&mut app, size, Theme::PLAIN, &SessionView::default());
        for (word, _) in SCRIPTS {
            assert!(shown.concat().contains(word), "{word}: {shown:?}");
        }
    }
}

#[test]
fn a_row_less_for_the_card_hides_its_input_and_says_so() {
    let (mut app, _dir) = asked();
    let id = app.question().expect("a question").request.request_id;
    for (rows, is_whole) in [(20, true), (18, false), (8, false)] {
        let size = Size { columns: 80, rows };
        let (live, card) = app.live(size, &SessionView::default());
        let text: Vec<String> = live.lines.iter().map(Line::text).collect();
        assert_eq!(card, Some(DrawnCard { id, is_whole }), "{rows}: {text:?}");
    }
}
