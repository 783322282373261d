//! The end of a text that grows.

/// Bytes that are kept.
const KEPT: usize = 16 * 1024;

/// Keeps the last 16 KiB of a text.
#[derive(Debug, Default)]
pub struct OutputTail(String);

impl OutputTail {
    /// Adds a piece.
    pub fn push(&mut self, text: &str) {
        self.0.push_str(text);
        if self.0.len() > 2 * KEPT {
            let from = self.0.len() - KEPT;
            self.0.drain(..ceil_boundary(&self.0, from));
        }
    }

    /// The end that is kept, of whole characters.
    pub fn text(&self) -> &str {
        let from = self.0.len().saturating_sub(KEPT);
        &self.0[ceil_boundary(&self.0, from)..]
    }
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_in_whole_characters() {
        let mut tail = OutputTail::default();
        tail.push("short");
        assert_eq!(tail.text(), "short");
        for _ in 0..KEPT {
            tail.push("aüü");
        }
        assert!(tail.text().len() <= KEPT && tail.text().len() > KEPT - 4);
        assert!(tail.text().ends_with("aüü"));
    }
}
