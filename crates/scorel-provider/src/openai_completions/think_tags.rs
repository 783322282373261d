/// Separates reasoning from text where a server leaves the model's `<think>` tags in the text, as
/// self-hosted R1 models do. Only tags at the beginning count: later ones are the model writing
/// about tags.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    state: TagState,
    /// Text that may turn out to be part of a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TagState {
    /// Only white space or the beginning of the tag so far.
    #[default]
    Start,
    Thinking,
    /// After the closing tag, with only white space since, which is dropped.
    Closed,
    Text,
}

/// A piece of the stream without tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaggedText {
    Thinking(String),
    Text(String),
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The longest white space before the tag, in bytes. All of it waits, and is looked at again with each piece.
const MAX_BLANK: usize = 1_024;

impl ThinkTags {
    /// Takes more text and returns the pieces that are decided.
    pub(super) fn push(&mut self, text: &str) -> Vec<TaggedText> {
        if self.state == TagState::Text {
            return vec![TaggedText::Text(text.to_owned())];
        }
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// Returns the held text; no tags are recognised from here on.
    pub(super) fn flush(&mut self) -> Option<TaggedText> {
        let held = std::mem::take(&mut self.held);
        let piece = match self.state {
            TagState::Thinking => TaggedText::Thinking(held),
            TagState::Start | TagState::Closed | TagState::Text => TaggedText::Text(held),
        };
        self.state = TagState::Text;
        let (TaggedText::Thinking(text) | TaggedText::Text(text)) = &piece;
        (!text.is_empty()).then_some(piece)
    }

    /// Returns whether another step may decide more.
    fn step(&mut self, pieces: &mut Vec<TaggedText>) -> bool {
        match self.state {
            TagState::Start => self.start(),
            TagState::Thinking => self.think(pieces),
            TagState::Closed => {
                self.held = self.held.trim_start().to_owned();
                if self.held.is_empty() {
                    return false;
                }
                self.state = TagState::Text;
                true
            }
            TagState::Text => {
                let text = std::mem::take(&mut self.held);
                if !text.is_empty() {
                    pieces.push(TaggedText::Text(text));
                }
                false
            }
        }
    }

    fn start(&mut self) -> bool {
        let begun = self.held.trim_start();
        if let Some(rest) = begun.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.state = TagState::Thinking;
        } else if OPEN.starts_with(begun) && self.held.len() <= MAX_BLANK {
            return false;
        } else {
            self.state = TagState::Text;
        }
        true
    }

    fn think(&mut self, pieces: &mut Vec<TaggedText>) -> bool {
        let (thinking, closed) = match self.held.find(CLOSE) {
            Some(end) => (end, true),
            None => (self.held.len() - partial(&self.held), false),
        };
        let rest = self.held.split_off(thinking);
        let thinking = std::mem::replace(&mut self.held, rest);
        if !thinking.is_empty() {
            pieces.push(TaggedText::Thinking(thinking));
        }
        if closed {
            self.held.drain(..CLOSE.len());
            self.state = TagState::Closed;
        }
        closed
    }
}

/// The number of bytes at the end of the text that may begin the closing tag.
fn partial(text: &str) -> usize {
    let lengths = (1..CLOSE.len()).rev();
    let mut fits = lengths.filter(|length| text.ends_with(&CLOSE[..*length]));
    fits.next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{MAX_BLANK, TaggedText, ThinkTags};

    /// The thinking and the text of an answer that comes in these pieces.
    fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut tags = ThinkTags::default();
        let mut found: Vec<TaggedText> = pieces
            .into_iter()
            .flat_map(|text| tags.push(text))
            .collect();
        found.extend(tags.flush());
        let (mut thinking, mut text) = (String::new(), String::new());
        for piece in found {
            match piece {
                TaggedText::Thinking(more) => thinking.push_str(&more),
                TaggedText::Text(more) => text.push_str(&more),
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
    fn much_white_space_is_text() {
        let mut tags = ThinkTags::default();
        let mut pieces = Vec::new();
        for _ in 0..10_000 {
            pieces.extend(tags.push(" "));
            assert!(tags.held.len() <= MAX_BLANK);
        }
        pieces.extend(tags.push("<think>"));
        let texts = pieces.into_iter().map(|piece| match piece {
            TaggedText::Text(text) => text,
            TaggedText::Thinking(text) => panic!("{text}"),
        });
        let text: String = texts.collect();
        assert_eq!(text, " ".repeat(10_000) + "<think>");
    }

    #[test]
    fn text_without_a_tag_is_not_held_back() {
        let mut tags = ThinkTags::default();
        assert_eq!(tags.push("Hi"), [TaggedText::Text("Hi".to_owned())]);
        assert_eq!(
            tags.push(" <think>"),
            [TaggedText::Text(" <think>".to_owned())]
        );
    }

    #[test]
    fn reasoning_without_an_end_stays_reasoning() {
        let expected = ("so far</th".to_owned(), String::new());
        assert_eq!(split(["<think>so far</th"]), expected);
    }
}
