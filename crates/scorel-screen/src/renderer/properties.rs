//! What holds for any text, however it comes.

use proptest::prelude::*;
use proptest::sample::select;
use scorel_proto::EventId;

use super::tests::{answer, delta, event};
use super::*;
use crate::{Theme, TimeZone};

/// Pieces that Markdown, widths and terminals find hard.
const PIECES: [&str; 60] = [
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "\t",
    "word ",
    "longwordwithoutanyspace",
    "# ",
    "## Title\n",
    "- ",
    "* ",
    "1. ",
    "12) ",
    "  - ",
    "> ",
    "```",
    "```rust\n",
    "~~~\n",
    "---\n",
    "===\n",
    "***",
    "**",
    "*",
    "_",
    "`",
    "``",
    "| a | b |\n",
    "|---|:-:|\n",
    "| 漢字 | x",
    "|",
    "[a](http://x.y)",
    "[b]: http://z\n",
    "![i](p.png)",
    "<b>",
    "<!-- c -->\n",
    "<http://a.b>",
    "&#27;[2J",
    "&#x202e;",
    "\\",
    "[ ] ",
    "[x] ",
    "漢字かな",
    "한글",
    "👩\u{200d}👩\u{200d}👧",
    "🇮🇷",
    "می\u{200c}خواهم",
    "क्षि",
    "e\u{301}",
    "\u{1b}[31m",
    "\u{1b}]0;t\u{7}",
    "\u{9b}2J",
    "\u{202e}",
    "\u{200b}",
    "\u{e0041}",
    "\0",
    "\u{7f}",
    "\u{2028}",
    "é",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&PIECES[..]), 0..60).prop_map(|pieces| pieces.concat())
}

/// The lines of an answer that comes in pieces of these lengths, and then as a record.
fn streamed(text: &str, kind: &str, lengths: &[usize], layout: &Layout) -> Vec<Line> {
    let id = EventId::generate();
    let mut renderer = Renderer::new(layout.clone());
    let mut lines = Vec::new();
    let mut rest = text;
    for length in lengths {
        let at = rest
            .char_indices()
            .nth(*length)
            .map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(at);
        renderer.event(&event(delta(id, kind, 0, piece)), &mut lines);
        let tail = renderer.tail(8);
        let fits = |line: &Line| layout.markup == Markup::Source || line.width() <= layout.row();
        assert!(tail.len() <= 8 && tail.iter().all(fits));
        rest = after;
    }
    let block = if kind == "text_delta" {
        "text"
    } else {
        "thinking"
    };
    let content = serde_json::json!([{"type": block, "text": text}]);
    renderer.event(&event(answer(id, &content)), &mut lines);
    assert!(!renderer.has_open());
    lines
}

fn layout(width: usize, markup: Markup, styled: bool) -> Layout {
    Layout {
        markup,
        styled,
        ..Layout::new(width, TimeZone::UTC)
    }
}

/// Removes the sequences that a theme writes, and nothing else.
pub(super) fn without_looks(painted: &str) -> String {
    let mut text = String::new();
    let mut rest = painted;
    while let Some((before, sequence)) = rest.split_once('\x1b') {
        text.push_str(before);
        let end = match sequence.strip_prefix("]8;;") {
            Some(link) => link.find("\x1b\\").map(|end| "]8;;".len() + end + 2),
            None => sequence
                .find('m')
                .filter(|end| {
                    let code = sequence[..*end].strip_prefix('[');
                    code.is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_digit()))
                })
                .map(|end| end + 1),
        };
        rest = &sequence[end.expect("a sequence of ours")..];
    }
    text + rest
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_pieces_in_which_a_text_comes_do_not_count(
        text in text(),
        lengths in prop::collection::vec(0_usize..30, 0..40),
        width in 1_usize..130,
        kind in select(&["text_delta", "thinking_delta"][..]),
        markup in select(&[Markup::Rendered, Markup::Source][..]),
    ) {
        let layout = layout(width, markup, true);
        let whole = streamed(&text, kind, &[], &layout);
        prop_assert_eq!(streamed(&text, kind, &lengths, &layout), whole);
    }

    #[test]
    fn rows_fit_and_hold_no_control_characters(
        text in text(), width in 1_usize..130, styled: bool,
    ) {
        let layout = layout(width, Markup::Rendered, styled);
        let theme = Theme { colours: true, unicode: true, links: true };
        for line in streamed(&text, "text_delta", &[], &layout) {
            prop_assert!(line.width() <= layout.row(), "{:?}", line.text());
            let painted = without_looks(&theme.paint(&line));
            prop_assert!(!painted.chars().any(char::is_control), "{:?}", painted);
            prop_assert!(!painted.contains(['\u{202e}', '\u{200b}', '\u{e0041}', '\u{2028}']), "{:?}", painted);
        }
    }

    #[test]
    fn a_pipe_gets_every_character(text in text()) {
        let layout = layout(80, Markup::Source, true);
        let lines = streamed(&text, "text_delta", &[3, 5], &layout);
        let piped: String = lines.iter().map(|line| line.text() + "\n").collect();
        let ended = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        prop_assert_eq!(piped, text + ended);
    }

    #[test]
    fn no_word_is_lost(words in prop::collection::vec("[a-z]{3,9}", 1..40), seed in prop::collection::vec(
        select(&[" ", "\n", "\n\n- ", "\n\n", "\n> ", "\n\n```\n", "\n# ", "\n1. ", "\n[r]: ", " | "][..]), 40,
    )) {
        let text: String = words.iter().zip(&seed).map(|(word, gap)| format!("{gap}{word}")).collect();
        let lines = streamed(&text, "text_delta", &[], &layout(80, Markup::Rendered, true));
        let shown: String = lines.iter().map(|line| line.text() + "\n").collect();
        // The word behind a fence names a language.
        for (word, gap) in words.iter().zip(&seed) {
            prop_assert!(shown.contains(word.as_str()) || gap.contains('`') || text.contains("```"), "{word}: {shown}");
        }
    }
}
