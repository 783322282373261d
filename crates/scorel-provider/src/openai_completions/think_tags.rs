/// Finds the reasoning that some servers leave in the text: an answer that begins with `<think>`.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    state: State,
    /// What may still become a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space came, or a part of the tag.
    #[default]
    Start,
    Thinking,
    /// The tag was closed, and nothing but white space came after it.
    Closed,
    Text,
}

/// A part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Thinking(String),
    Text(String),
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

impl ThinkTags {
    /// Takes more text, and gives what is certain.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        if self.state == State::Text {
            return vec![Piece::Text(text.to_owned())];
        }
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// Gives what was held back: no tag comes any more.
    pub(super) fn flush(&mut self) -> Option<Piece> {
        let held = std::mem::take(&mut self.held);
        let piece = match self.state {
            State::Thinking => Piece::Thinking(held),
            State::Start | State::Closed | State::Text => Piece::Text(held),
        };
        self.state = State::Text;
        let (Piece::Thinking(text) | Piece::Text(text)) = &piece;
        (!text.is_empty()).then_some(piece)
    }

    /// Says whether there may be more to do with what is held.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.state {
            State::Start => self.start(),
            State::Thinking => {
                let (thinking, closed) = match self.held.find(CLOSE) {
                    Some(end) => (end, true),
                    None => (self.held.len() - partial(&self.held), false),
                };
                let rest = self.held.split_off(thinking);
                let thinking = std::mem::replace(&mut self.held, rest);
                if !thinking.is_empty() {
                    pieces.push(Piece::Thinking(thinking));
                }
                if closed {
                    self.held.drain(..CLOSE.len());
                    self.state = State::Closed;
                }
                closed
            }
            State::Closed => {
                self.held = self.held.trim_start().to_owned();
                if self.held.is_empty() {
                    return false;
                }
                self.state = State::Text;
                true
            }
            State::Text => {
                let text = std::mem::take(&mut self.held);
                if !text.is_empty() {
                    pieces.push(Piece::Text(text));
                }
                false
            }
        }
    }

    fn start(&mut self) -> bool {
        let begun = self.held.trim_start();
        if let Some(rest) = begun.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.state = State::Thinking;
        } else if OPEN.starts_with(begun) {
            return false;
        } else {
            self.state = State::Text;
        }
        true
    }
}

/// How many bytes at the end of the text may be the beginning of the closing tag.
fn partial(text: &str) -> usize {
    let lengths = (1..CLOSE.len()).rev();
    let mut fits = lengths.filter(|length| text.ends_with(&CLOSE[..*length]));
    fits.next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Piece, ThinkTags};

    /// The thinking and the text of an answer that comes in these pieces.
    fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut tags = ThinkTags::default();
        let mut found: Vec<Piece> = pieces
            .into_iter()
            .flat_map(|text| tags.push(text))
            .collect();
        found.extend(tags.flush());
        let (mut thinking, mut text) = (String::new(), String::new());
        for piece in found {
            match piece {
                Piece::Thinking(more) => thinking.push_str(&more),
                Piece::Text(more) => text.push_str(&more),
            }
        }
        (thinking, text)
    }

    #[test]
    fn tags_are_found_however_the_text_is_cut() {
        let whole = "\n<think>a < b </thin </think>\n\nThe answer is <think>.";
        let expected = (
            "a < b </thin ".to_owned(),
            "The answer is <think>.".to_owned(),
        );
        assert_eq!(split([whole]), expected);
        for first in 0..whole.len() {
            for second in first..whole.len() {
                let cut = [&whole[..first], &whole[first..second], &whole[second..]];
                assert_eq!(split(cut), expected, "{first} {second}");
            }
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "",
            "  ",
            "<",
            "<thinking>",
            " <b>x</think>",
            "x <think>y</think>",
        ] {
            assert_eq!(split([text]), (String::new(), text.to_owned()), "{text}");
        }
    }

    #[test]
    fn text_without_a_tag_is_not_held_back() {
        let mut tags = ThinkTags::default();
        assert_eq!(tags.push("Hi"), [Piece::Text("Hi".to_owned())]);
        assert_eq!(tags.push(" <think>"), [Piece::Text(" <think>".to_owned())]);
    }

    #[test]
    fn reasoning_without_an_end_stays_reasoning() {
        let expected = ("so far</th".to_owned(), String::new());
        assert_eq!(split(["<think>so far</th"]), expected);
    }
}
