//! Contents that would control a terminal, in every place that a model, a tool or a user writes to.

use scorel_proto::EventId;
use serde_json::{Value, json};

use super::properties::without_looks;
use super::tests::{answer, called, delta, event, result, user};
use super::*;
use crate::{Theme, TimeZone};

/// The frames around each of [`HOSTILE`].
const FRAMES: [&str; 3] = [
    "a{}b",
    "- {} `{}` [{}](http://x{})\n",
    "```{}\n{}\n```\n| {} |\n|-|\n| {} |",
];

const HOSTILE: [&str; 60] = [
    // Colours, movement, erasure, scroll regions, modes.
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[2J",
    "\x1b[3J",
    "\x1b[H",
    "\x1b[999;999H",
    "\x1b[1A\x1b[2K",
    "\x1b[1;5r",
    "\x1b[5S",
    "\x1b[?1049h",
    "\x1b[?25l",
    "\x1b[?2004l",
    "\x1b[?1000h",
    "\x1b[?1004h",
    "\x1b[?2026h",
    "\x1b[>1u",
    "\x1bc",
    "\x1b7",
    "\x1b8",
    "\x1bM",
    "\x1b(0",
    "\x0e",
    "\x0f",
    // Questions that a terminal answers as if its user typed.
    "\x1b[6n",
    "\x1b[5n",
    "\x1b[c",
    "\x1b[>c",
    "\x1b[18t",
    "\x1b[21t",
    "\x1bZ",
    "\x05",
    "\x1b[?u",
    // Titles, clipboard, links, notifications, pictures, other strings.
    "\x1b]0;title\x07",
    "\x1b]2;title\x1b\\",
    "\x1b]52;c;cm0gLXJm\x07",
    "\x1b]52;c;?\x07",
    "\x1b]8;;http://evil\x1b\\",
    "\x1b]8;;\x1b\\",
    "\x1b]9;note\x07",
    "\x1b]777;notify;a;b\x07",
    "\x1b]1337;File=:AAAA\x07",
    "\x1b]4;1;?\x07",
    "\x1b]10;?\x07",
    "\x1bP$q\"p\x1b\\",
    "\x1bPq#0;2;0;0;0\x1b\\",
    "\x1b_Gf=24;AAAA\x1b\\",
    "\x1b^x\x1b\\",
    "\x1bX\x1b\\",
    // The same in one byte each, and half of them.
    "\u{9b}31m",
    "\u{9d}0;t\u{9c}",
    "\u{90}q\u{9c}",
    "\x1b",
    "\x1b[",
    // Overwriting, and characters without a shape.
    "rm\r-",
    "\x08\x08",
    "\x7f\0",
    "&#27;[2J&#x9b;5n",
    "\u{202e}gpj.exe\u{2066}",
    "\u{200b}\u{feff}\u{2060}",
    "\u{e0041}\u{e007f}\u{2028}\u{85}",
];

/// A turn with the text wherever there is one.
fn events(text: &str) -> Vec<Value> {
    let (id, call) = (EventId::generate(), EventId::generate());
    let parts = json!([{"type": "thinking", "text": text}, {"type": "text", "text": text}]);
    let diff = json!({"linesAdded": 1, "linesRemoved": 0, "diff": format!("@@ -1 +1 @@\n+{text}")});
    let todos = json!({"items": [{"content": text, "status": "in_progress"}]});
    vec![
        user(text),
        delta(id, "thinking_delta", 0, text),
        answer(id, &parts),
        json!({"type": "tool_execution_start", "eventId": call, "parentId": null, "toolCallId": "c",
            "toolName": text, "args": {"command": text}}),
        json!({"type": "tool_execution_update", "eventId": call, "toolCallId": "c", "partial": {"text": text}}),
        called(EventId::generate(), text, text, &json!({"path": text})),
        result(call, text, text, text, &diff),
        result(EventId::generate(), "d", text, text, &Value::Null),
        result(EventId::generate(), "e", text, text, &json!({"ok": true})),
        result(EventId::generate(), "f", "Todo", text, &todos),
        json!({"type": "notice", "id": EventId::generate(), "parentId": null, "code": "c", "text": text}),
        json!({"type": "session_info", "id": EventId::generate(), "parentId": null, "changes": {"title": text}}),
        json!({"type": "runner_log", "stream": "notice", "text": text}),
        json!({"type": "model_retry", "attempt": 1, "until": 1, "error": {"code": "network", "message": text,
            "retryable": true, "hint": text}}),
        json!({"type": "turn_waiting", "id": EventId::generate(), "parentId": null, "until": 1, "reason": text}),
        json!({"type": text, "id": EventId::generate(), "prev": 0}),
    ]
}

#[test]
fn nothing_in_a_session_controls_the_terminal() {
    let theme = Theme {
        colours: true,
        unicode: true,
        links: true,
    };
    for hostile in HOSTILE {
        for frame in FRAMES {
            let text = frame.replace("{}", hostile);
            let layout = Layout {
                result_lines: 3,
                announces: true,
                ..Layout::new(60, TimeZone::UTC)
            };
            let mut renderer = Renderer::new(layout);
            let mut lines = Vec::new();
            for value in events(&text) {
                renderer.event(&event(value), &mut lines);
                lines.extend(renderer.tail(8));
                lines.extend(renderer.todos());
            }
            for line in &lines {
                let painted = theme.paint(line);
                let shown = without_looks(&painted);
                assert!(!shown.chars().any(char::is_control), "{painted:?}");
                assert!(!painted.contains("evil\x1b"), "{painted:?}");
                assert!(line.width() <= 60, "{painted:?}");
            }
        }
    }
}
