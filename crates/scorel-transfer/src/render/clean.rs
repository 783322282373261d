use std::fmt::Write as _;

/// The text without characters that a reader does not see: controls, and those that turn the direction of
/// the text around it. Their numbers take their places.
pub(super) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\t' => clean.push(char),
            '\r' => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                // Writing to a string cannot fail.
                let _ = write!(clean, "⟨{:x}⟩", u32::from(char));
            }
            char if char.is_control() => {
                let _ = write!(clean, "⟨{:x}⟩", u32::from(char));
            }
            char => clean.push(char),
        }
    }
    clean
}

/// The same on one line.
pub(super) fn clean_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}
