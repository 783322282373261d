//! The end of what a child wrote to standard error.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The bytes that are kept. The warning of ssh about a changed key has 800.
const MAX_BYTES: usize = 8 * 1024;

/// The lines of it that a message has room for.
const SHOWN_LINES: usize = 3;

/// The characters of a line that a message has room for.
const SHOWN_CHARS: usize = 300;

/// Reads to the end into `last`, of which the end stays. Cancel safe.
pub(super) async fn read_last(mut from: impl AsyncRead + Unpin, last: &mut Vec<u8>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        last.extend_from_slice(&buffer[..length]);
        if last.len() > MAX_BYTES {
            last.drain(..last.len() - MAX_BYTES);
        }
        // A child that writes without pause must not keep the runtime to itself.
        tokio::task::yield_now().await;
    }
}

/// The last lines as one, for a message. The other machine wrote them, so they are shown as they are read:
/// controls, marks of direction and characters without a shape by their number.
pub(super) fn shown(said: &str) -> String {
    let lines: Vec<&str> = said
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    let shown: Vec<String> = last.iter().map(|line| visible(line)).collect();
    shown.join("; ")
}

fn visible(line: &str) -> String {
    let mut shown = String::new();
    for char in line.chars().take(SHOWN_CHARS) {
        match char {
            '\'' | '"' | '\\' => shown.push(char),
            '\t' => shown.push(' '),
            _ => {
                let is_shown = char.escape_debug().len() == 1;
                if is_shown {
                    shown.push(char);
                } else {
                    shown.push_str(&format!("⟨{:x}⟩", u32::from(char)));
                }
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_shown_with_visible_controls() {
        let said = "first\r\n\r\n one\n\u{1b}]0;x\u{7}two\t\"é\"\n\u{202e}\u{200b}three\u{9b}\r\n";
        assert_eq!(
            shown(said),
            "one; ⟨1b⟩]0;x⟨7⟩two \"é\"; ⟨202e⟩⟨200b⟩three⟨9b⟩"
        );
        assert_eq!(shown(""), "");
        assert_eq!(shown(&"x".repeat(10_000)).len(), SHOWN_CHARS);
    }

    #[tokio::test]
    async fn a_child_that_says_much_is_kept_at_its_end() {
        let mut text = vec![b'x'; 100_000];
        text.extend_from_slice(b"end");
        let mut last = Vec::new();
        read_last(&*text, &mut last).await;
        assert_eq!(last.len(), MAX_BYTES);
        assert!(last.ends_with(b"xend"));
    }
}
