//! Escapes text from models and tools for a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// Escapes control characters as `^X`, and other dangerous characters as `<U+XXXX>`. Line feeds and
/// tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            _ if !is_dangerous(char) => safe.push(char),
            '\0'..='\x1f' => {
                safe.push('^');
                safe.push(char::from(char as u8 + b'@'));
            }
            '\x7f' => safe.push_str("^?"),
            // Writing to a string cannot fail.
            _ => drop(write!(safe, "<U+{:04X}>", u32::from(char))),
        }
    }
    Cow::Owned(safe)
}

/// The escaped text on one line, for a table.
pub(crate) fn one_line(text: &str) -> String {
    visible(&text.replace(['\n', '\t'], " ")).into_owned()
}

/// Control characters, and the bidirectional controls that display text in another order
/// ("Trojan Source").
fn is_dangerous(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_made_visible() {
        for (text, safe) in [
            ("plain\n\ttext é 漢", "plain\n\ttext é 漢"),
            ("\x1b[2Jgone", "^[[2Jgone"),
            ("\x1b]0;title\x07", "^[]0;title^G"),
            ("over\rwritten", "over^Mwritten"),
            ("\u{9b}31m", "<U+009B>31m"),
            ("\x7f\0", "^?^@"),
            ("a\u{202e}b", "a<U+202E>b"),
        ] {
            assert_eq!(visible(text), safe);
        }
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_table_cell_is_one_line() {
        assert_eq!(one_line("a\nb\tc\x1b"), "a b c^[");
    }
}
