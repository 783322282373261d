//! Escapes text from models and tools for a terminal.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::RangeInclusive;

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

/// Control characters, and characters that a terminal does not show: with them a text reads otherwise
/// than what it stands for is carried out.
fn is_dangerous(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        _ => char.is_control() || INVISIBLE.iter().any(|range| range.contains(&char)),
    }
}

/// Characters without a shape of their own.
const INVISIBLE: &[RangeInclusive<char>] = &[
    // Soft hyphen, joiners of letters, fillers of Hangul.
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{3164}'..='\u{3164}',
    '\u{ffa0}'..='\u{ffa0}',
    // Of zero width, and marks of direction.
    '\u{200b}'..='\u{200f}',
    // Separators of lines and paragraphs, and changes of direction ("Trojan Source").
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    // Variations of the character before.
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{fff0}'..='\u{fffb}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    // Tags, which spell out hidden ASCII, and more variations.
    '\u{e0000}'..='\u{e0fff}',
];

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
            ("rm\u{200b} -rf", "rm<U+200B> -rf"),
            ("\u{e0041}\u{e007f}", "<U+E0041><U+E007F>"),
            ("x\u{fe0f}\u{e0100}", "x<U+FE0F><U+E0100>"),
            ("\u{feff}a\u{ad}\u{3164}", "<U+FEFF>a<U+00AD><U+3164>"),
            ("a\u{200d}b\u{2064}", "a<U+200D>b<U+2064>"),
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
