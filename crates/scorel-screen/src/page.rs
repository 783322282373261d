use crate::line::Line;
use crate::markup::Markup;
use crate::style::Style;

/// The part of a session that lines belong to. Between two parts stands an empty line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PagePart {
    /// A block of an answer or of reasoning, by its number.
    Text(u64),
    /// A message of a user.
    User,
    /// Tool calls.
    Tools,
    /// A note beside the conversation.
    Notes,
}

/// Puts lines one below the other.
#[derive(Debug)]
pub(crate) struct Page {
    markup: Markup,
    last: Option<PagePart>,
    numbers: u64,
}

impl Page {
    pub(crate) const fn new(markup: Markup) -> Self {
        Self {
            markup,
            last: None,
            numbers: 0,
        }
    }

    /// The number of a new block of text.
    pub(crate) const fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub(crate) fn write(&mut self, part: PagePart, lines: Vec<Line>, out: &mut Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        let apart = self
            .last
            .is_some_and(|last| last != part || part == PagePart::User);
        if apart && self.markup == Markup::Rendered {
            let texts = [self.last, Some(part)];
            let of_answer = texts
                .iter()
                .all(|part| matches!(part, Some(PagePart::Text(_))));
            let style = if of_answer { Style::Text } else { Style::Note };
            out.push(Line::raw("", style));
        }
        self.last = Some(part);
        out.extend(lines);
    }
}
