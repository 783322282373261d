//! Texts of models, tools and files in places where an editor shows them as its own: titles and names.

use std::fmt::Write;
use std::ops::RangeInclusive;

/// Of a title, in characters.
const MAX_LINE: usize = 200;

/// The first line of a text, cut. What is not seen, such as a control or a change of direction, is shown as
/// `⟨hex⟩`.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let mut shown = String::new();
    for char in line.chars().take(MAX_LINE) {
        if char.is_control() || UNSEEN.iter().any(|range| range.contains(&char)) {
            // Writing to a string cannot fail.
            let _: std::fmt::Result = write!(shown, "⟨{:x}⟩", u32::from(char));
        } else {
            shown.push(char);
        }
    }
    if line.len() < text.len() || line.chars().nth(MAX_LINE).is_some() {
        shown.push('…');
    }
    shown
}

/// Characters without a shape of their own: joiners, marks of direction, tags and variations.
const UNSEEN: &[RangeInclusive<char>] = &[
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_shown() {
        assert_eq!(
            one_line("make test | tee \u{202e}gol.tuo"),
            "make test | tee ⟨202e⟩gol.tuo"
        );
        assert_eq!(one_line("a\u{1b}]0;x\u{7}"), "a⟨1b⟩]0;x⟨7⟩");
        assert_eq!(one_line("  first\nsecond "), "first…");
        assert_eq!(one_line(&"é".repeat(201)), format!("{}…", "é".repeat(200)));
        assert_eq!(one_line(""), "");
    }
}
