use std::ops::Range;

use crate::limits::{SNIPPET_BYTES, SNIPPET_LEAD};
use crate::text_cut::{boundary_after, boundary_before};

const CUT: &str = "…";

/// The surroundings of the first match in a text, on one line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Snippet {
    pub(crate) text: String,
    /// The matches in it, in bytes.
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Snippet {
    /// `matches` are in order.
    pub(crate) fn of(text: &str, matches: &[Range<usize>]) -> Self {
        let part = part_around(text, matches.first().map_or(0, |first| first.start));
        let mut line = LineWriter::default();
        if part.start > 0 {
            line.text.push_str(CUT);
        }
        let mut matches = matches.iter().peekable();
        for (at, char) in text[part.clone()].char_indices() {
            let at = part.start + at;
            while matches.next_if(|range| range.end <= at).is_some() {}
            let in_match = matches.peek().filter(|range| range.contains(&at));
            line.push(char, in_match.map(|range| range.start));
        }
        if part.end < text.len() {
            line.text.push_str(CUT);
        }
        Self {
            text: line.text,
            ranges: line.ranges,
        }
    }
}

/// The part of a text that is shown for a match at `first`.
fn part_around(text: &str, first: usize) -> Range<usize> {
    let earliest = boundary_after(text, first.saturating_sub(SNIPPET_LEAD));
    // At the beginning of a word, if one begins there.
    let start = match text[earliest..first].find(char::is_whitespace) {
        Some(space) if earliest > 0 => {
            let rest = &text[earliest + space..first];
            first - rest.trim_start().len()
        }
        _ => earliest,
    };
    start..boundary_before(text, start + SNIPPET_BYTES)
}

#[derive(Default)]
struct LineWriter {
    text: String,
    ranges: Vec<Range<usize>>,
    /// Where the match begins that was written last.
    open: Option<usize>,
}

impl LineWriter {
    /// `of_match` is where the match begins that the character is in.
    fn push(&mut self, char: char, of_match: Option<usize>) {
        let start = self.text.len();
        self.text.push(if char.is_control() { ' ' } else { char });
        let end = self.text.len();
        match (of_match, self.ranges.last_mut()) {
            (Some(_), Some(last)) if self.open == of_match => last.end = end,
            (Some(_), _) => self.ranges.push(start..end),
            (None, _) => {}
        }
        self.open = of_match;
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    #[test]
    fn a_short_text_is_its_own_snippet() {
        let snippet = Snippet::of("one\ntwo\tthree", &[0..3, 4..7]);
        assert_eq!(snippet.text, "one two three");
        assert_eq!(snippet.ranges, [0..3, 4..7]);
    }

    #[test]
    fn a_long_text_is_cut_around_the_first_match() {
        let text = format!("{}NEEDLE{}", "é word ".repeat(60), " ö".repeat(400));
        let at = text.find("NEEDLE").expect("it is there");
        let snippet = Snippet::of(&text, &[at..at + 6, text.len() - 2..text.len()]);
        assert_eq!(snippet.ranges.len(), 1, "the other match is cut off");
        assert_eq!(&snippet.text[snippet.ranges[0].clone()], "NEEDLE");
        assert!(snippet.text.starts_with("…word") || snippet.text.starts_with("…é"));
        assert!(snippet.text.ends_with('…'));
        assert!(snippet.text.len() <= SNIPPET_BYTES + 2 * CUT.len());
    }

    #[test]
    fn a_match_that_is_longer_than_the_snippet_is_cut() {
        let text = format!("x {}", "解".repeat(1000));
        let snippet = Snippet::of(&text, from_ref(&(2..text.len())));
        let end = snippet.text.len() - CUT.len();
        assert_eq!(snippet.ranges, from_ref(&(2..end)));
    }

    #[test]
    fn matches_side_by_side_stay_two() {
        let snippet = Snippet::of("ab", &[0..1, 1..2]);
        assert_eq!(snippet.ranges, [0..1, 1..2]);
    }

    #[test]
    fn characters_that_control_a_terminal_become_spaces() {
        let snippet = Snippet::of("\u{9b}31m hit \0", from_ref(&(6..9)));
        assert_eq!(snippet.text, " 31m hit  ");
        assert_eq!(snippet.ranges, from_ref(&(5..8)));
    }
}
