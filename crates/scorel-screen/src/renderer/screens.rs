//! Whole screens as a terminal gets them.

use scorel_proto::EventId;
use serde_json::{Value, json};

use super::tests::{answer, called, event, result, user};
use super::*;
use crate::{Theme, TimeZone};

const ANSWER: &str = "\
## Cause

The loop stops *one* short: `i < len - 1` skips the **final** byte. This sentence is here so that the paragraph is \
wider than a row. See [the book](https://doc.rust-lang.org).

1. Change the bound.
2. Add a case:
   - for the empty file
   - for one byte

```rust
for i in 0..len {
\tread(i);
}
```

| script | words | n |
|:--|:-:|--:|
| Persian | می\u{200c}خواهم | 7 |
| Hindi | नमस्ते | 4 |
| CJK | 漢字かな | 8 |
| emoji | 👩\u{200d}👩\u{200d}👧\u{200d}👦 é | 4 |

> quoted
";

fn turn() -> Vec<Value> {
    let change = json!({"linesAdded": 1, "linesRemoved": 1, "diff": "--- a\n+++ b\n@@ -41 +41 @@\n-0..len - 1\n+0..len\n"});
    vec![
        user("Why does the parser drop the last byte?"),
        answer(
            EventId::generate(),
            &json!([{"type": "text", "text": ANSWER}]),
        ),
        called(
            EventId::generate(),
            "c1",
            "Edit",
            &json!({"path": "src/parse.rs"}),
        ),
        result(EventId::generate(), "c1", "Edit", "changed", &change),
    ]
}

fn screen(theme: Theme, width: usize) -> Vec<String> {
    let layout = Layout {
        styled: theme.colours,
        ..Layout::new(width, TimeZone::UTC)
    };
    let mut renderer = Renderer::new(layout);
    let mut lines = Vec::new();
    for value in turn() {
        renderer.event(&event(value), &mut lines);
    }
    lines.iter().map(|line| theme.paint(line)).collect()
}

#[test]
fn at_80_columns_without_colours() {
    let expected = [
        "❯ Why does the parser drop the last byte?",
        "",
        "## Cause",
        "",
        "The loop stops *one* short: `i < len - 1` skips the **final** byte. This",
        "sentence is here so that the paragraph is wider than a row. See the book",
        "(https://doc.rust-lang.org).",
        "",
        "1. Change the bound.",
        "2. Add a case:",
        "   • for the empty file",
        "   • for one byte",
        "",
        "for i in 0..len {",
        "    read(i);",
        "}",
        "",
        "script    words    n",
        "───────  ────────  ─",
        "Persian  می\u{200c}خواهم   7",
        "Hindi      नमस्ते    4",
        "CJK      漢字かな  8",
        "emoji      👩\u{200d}👩\u{200d}👧\u{200d}👦 é    4",
        "",
        "│ quoted",
        "",
        "✓ Edit src/parse.rs  +1 −1",
        "    41 - 0..len - 1",
        "    41 + 0..len",
    ];
    assert_eq!(screen(Theme::PLAIN, 80), expected);
}

#[test]
fn in_ascii_the_signs_are_others_and_the_words_the_same() {
    let theme = Theme {
        unicode: false,
        ..Theme::PLAIN
    };
    let shown = screen(theme, 80).join("\n");
    for line in [
        "> Why does",
        "   * for the empty file",
        "Persian  می\u{200c}خواهم",
        "| quoted",
        "+ Edit src/parse.rs  +1 -1",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains(['─', '•', '│', '✓', '❯', '−']), "{shown}");
}

#[test]
fn with_colours_the_signs_of_markdown_are_gone() {
    let theme = Theme {
        colours: true,
        unicode: true,
        links: true,
    };
    let shown = screen(theme, 40);
    for line in [
        "\x1b[1mCause\x1b[0m",
        "The loop stops \x1b[3mone\x1b[0m short: \x1b[36mi < len - 1\x1b[0m",
        "\x1b[36m    read(i);\x1b[0m",
        "\x1b[31m    41 - 0..len - 1\x1b[0m",
        "\x1b[32m    41 + 0..len\x1b[0m",
    ] {
        assert!(
            shown.iter().any(|row| row.trim_end() == line),
            "{line:?}: {shown:#?}"
        );
    }
    let link = "\x1b]8;;https://doc.rust-lang.org\x1b\\";
    assert!(shown.join("\n").contains(link), "{shown:#?}");
}

#[test]
fn a_long_text_without_an_end_is_shown_before_it_ends_and_costs_what_is_new() {
    let mut renderer = Renderer::new(Layout::new(80, TimeZone::UTC));
    let id = EventId::generate();
    let mut lines = Vec::new();
    for _ in 0..4000 {
        let value = super::tests::delta(id, "text_delta", 0, "word and word and ");
        renderer.event(&event(value), &mut lines);
    }
    let shown: usize = lines.iter().map(|line| line.text().len() + 1).sum();
    assert!(
        shown + 2 * crate::line_buffer::MAX_BLOCK > 4000 * 18,
        "{shown}"
    );
    assert_eq!(renderer.tail(8).len(), 8);
}
