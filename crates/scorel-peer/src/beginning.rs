use std::fmt::{self, Display, Write};

/// The first `max` bytes of a text, cut at a character, with `…` if it is longer. The rest is not
/// formatted: an error aborts `Display`.
#[must_use]
pub fn beginning(text: impl Display, max: usize) -> String {
    let mut kept = BoundedText {
        text: String::new(),
        max,
    };
    if write!(kept, "{text}").is_err() {
        kept.text.push('…');
    }
    kept.text
}

/// Fails when it is full.
struct BoundedText {
    text: String,
    max: usize,
}

impl Write for BoundedText {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = self.max - self.text.len();
        if piece.len() <= room {
            self.text.push_str(piece);
            return Ok(());
        }
        let cut = (0..=room).rev().find(|at| piece.is_char_boundary(*at));
        self.text.push_str(&piece[..cut.unwrap_or(0)]);
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_character() {
        assert_eq!(beginning("abc", 3), "abc");
        assert_eq!(beginning("abcd", 3), "abc…");
        assert_eq!(beginning("aéb", 2), "a…");
        assert_eq!(beginning(format_args!("{}{}", "ab", "cd"), 3), "abc…");
        assert_eq!(beginning("", 0), "");
    }
}
