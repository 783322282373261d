//! Escapes text from models and tools for a terminal.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Shows control characters and characters without a shape as `⟨hex⟩`. Line feeds and tabs stay, and so do joiners
/// within words and emoji.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, joins)
}

/// As [`visible`], with joiners escaped too: for what a user has to read exactly, such as a command to allow.
pub fn exact(text: &str) -> Cow<'_, str> {
    escaped(text, |_, _, _| false)
}

/// The escaped text on one line, for a table.
pub fn one_line(text: &str) -> String {
    visible(&on_one_line(text)).into_owned()
}

/// As [`one_line`], escaped as [`exact`] does.
pub fn exact_line(text: &str) -> String {
    exact(&on_one_line(text)).into_owned()
}

fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

/// True for a character that belongs to those around it, as in Persian, Hindi and Sinhala words and in emoji that are
/// made of several. One that is missing may be in the next piece of streamed text. Between ASCII characters a
/// joiner says nothing.
fn joins(before: Option<char>, char: char, after: Option<char>) -> bool {
    let is_joined = |it: Option<char>| it.is_none_or(|it| !it.is_ascii() && !it.is_whitespace());
    match char {
        '\u{200c}' | '\u{200d}' => is_joined(before) && is_joined(after),
        '\u{fe0f}' => is_joined(before),
        _ => false,
    }
}

fn escaped(text: &str, stays: fn(Option<char>, char, Option<char>) -> bool) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let is_safe = !is_dangerous(char) || stays(before, char, chars.peek().copied());
        before = Some(char);
        match is_safe {
            true => safe.push(char),
            // Writing to a string cannot fail.
            false => drop(write!(safe, "⟨{:02x}⟩", u32::from(char))),
        }
    }
    Cow::Owned(safe)
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
            ("\x1b[2Jgone", "⟨1b⟩[2Jgone"),
            ("\x1b]0;title\x07", "⟨1b⟩]0;title⟨07⟩"),
            ("over\rwritten", "over⟨0d⟩written"),
            ("\u{9b}31m", "⟨9b⟩31m"),
            ("\x7f\0", "⟨7f⟩⟨00⟩"),
            ("a\u{202e}b", "a⟨202e⟩b"),
            ("rm\u{200b} -rf", "rm⟨200b⟩ -rf"),
            ("\u{e0041}\u{e007f}", "⟨e0041⟩⟨e007f⟩"),
            ("x\u{fe0f}\u{e0100}", "x⟨fe0f⟩⟨e0100⟩"),
            ("\u{feff}a\u{ad}\u{3164}", "⟨feff⟩a⟨ad⟩⟨3164⟩"),
            ("a\u{200d}b\u{2064}", "a⟨200d⟩b⟨2064⟩"),
        ] {
            assert_eq!(visible(text), safe);
        }
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn joiners_are_text_in_words_and_emoji_and_visible_where_each_character_counts() {
        for (text, shown) in [
            ("می\u{200c}خواهم", "می⟨200c⟩خواهم"),
            ("ශ්\u{200d}රී", "ශ්⟨200d⟩රී"),
            ("👩\u{200d}👩\u{200d}👧", "👩⟨200d⟩👩⟨200d⟩👧"),
            ("❤\u{fe0f}\u{200d}🔥", "❤⟨fe0f⟩⟨200d⟩🔥"),
        ] {
            assert_eq!(visible(text), text);
            assert_eq!(
                (exact(text).as_ref(), exact_line(text).as_str()),
                (shown, shown)
            );
        }
        assert_eq!(visible("r\u{200c}m é\u{200d} x"), "r⟨200c⟩m é⟨200d⟩ x");
        for piece in ["👩\u{200d}", "\u{200d}👧", "\u{200d}"] {
            assert_eq!(visible(piece), piece, "streamed text ends anywhere");
        }
    }

    #[test]
    fn a_table_cell_is_one_line() {
        assert_eq!(one_line("a\nb\tc\x1b"), "a b c⟨1b⟩");
    }
}
