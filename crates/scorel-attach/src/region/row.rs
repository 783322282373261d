use scorel_screen::{Line, Span, Theme, width};
use unicode_segmentation::UnicodeSegmentation;

/// A row of the region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: Line,
    /// The column of the caret that is drawn into it.
    pub(super) caret: Option<usize>,
}

impl Row {
    pub(super) const fn new(line: Line) -> Self {
        Self { line, caret: None }
    }

    fn width(&self) -> usize {
        self.line
            .width()
            .max(self.caret.map_or(0, |column| column + 1))
    }

    /// The bytes that turn `old` into this row, with the cursor at its beginning.
    pub(super) fn bytes(&self, old: Option<&Self>, theme: &Theme) -> String {
        let Some(old) = old else {
            return self.painted(theme, 0);
        };
        let same = self.common(old);
        // A terminal that reflows counts erased cells at the end of a row unless the whole row was erased.
        // And of the width of what is not ASCII, terminals have opinions of their own.
        if old.width() > self.width() || !old.line.text().is_ascii() {
            return format!("\x1b[2K{}", self.painted(theme, 0));
        }
        match same {
            0 => self.painted(theme, 0),
            _ => format!("\x1b[{}G{}", same + 1, self.painted(theme, same)),
        }
    }

    /// The columns at the left that need not be written again. Only ASCII counts: of its widths each terminal is sure.
    fn common(&self, old: &Self) -> usize {
        let mut columns = 0;
        for (new, old) in self.line.spans.iter().zip(&old.line.spans) {
            let both = new.text.bytes().zip(old.text.bytes());
            let same = both
                .take_while(|(new, old)| new == old && new.is_ascii())
                .count();
            let is_alike = new.style == old.style && new.link == old.link;
            if is_alike {
                columns += same;
            }
            let is_whole = same == new.text.len() && same == old.text.len();
            if !is_alike || !is_whole {
                // The next character may combine with the last.
                columns = columns.saturating_sub(1);
                break;
            }
        }
        let carets = [self.caret, old.caret];
        let is_same = self.caret == old.caret;
        let first = carets.into_iter().flatten().min().filter(|_| !is_same);
        first.map_or(columns, |first| columns.min(first))
    }

    fn painted(&self, theme: &Theme, from: usize) -> String {
        let (_, line) = split(&self.line, from);
        let Some(column) = self.caret.and_then(|column| column.checked_sub(from)) else {
            return theme.paint(&line);
        };
        let (before, rest) = split(&line, column);
        // In the middle of a wide character, the caret is on all of it.
        let gap = if rest.spans.is_empty() {
            column - before.width()
        } else {
            0
        };
        let (cell, after) = first_cell(&rest);
        let (before, after) = (theme.paint(&before), theme.paint(&after));
        format!(
            "{before}{:gap$}\x1b[7m{}\x1b[0m{after}",
            "",
            theme.paint(&cell)
        )
    }
}

/// The line before a column, and from it on. A wide character is not divided.
fn split(line: &Line, column: usize) -> (Line, Line) {
    let (mut before, mut after) = (Line::default(), Line::default());
    let mut at = 0;
    for span in &line.spans {
        let mut cut = 0;
        for grapheme in span.text.graphemes(true) {
            let end = at + width(grapheme);
            if end > column {
                break;
            }
            at = end;
            cut += grapheme.len();
        }
        let (left, right) = span.text.split_at(cut);
        push(&mut before, span, left);
        push(&mut after, span, right);
        if !right.is_empty() {
            // All spans that follow are behind the column.
            at = usize::MAX / 2;
        }
    }
    (before, after)
}

fn push(line: &mut Line, span: &Span, text: &str) {
    if !text.is_empty() {
        line.spans.push(Span {
            text: text.to_owned(),
            style: span.style,
            link: span.link.clone(),
        });
    }
}

/// The first character of a line, a blank if there is none, and the rest.
fn first_cell(line: &Line) -> (Line, Line) {
    let first = line
        .spans
        .first()
        .and_then(|span| span.text.graphemes(true).next());
    match first {
        Some(first) => {
            let columns = width(first).max(1);
            let text = first.to_owned();
            // Its own colours would fight with the inversion.
            let cell = Line {
                spans: vec![Span::new(text, scorel_screen::Style::Text)],
            };
            (cell, split(line, columns).1)
        }
        None => (
            Line {
                spans: vec![Span::new(" ", scorel_screen::Style::Text)],
            },
            Line::default(),
        ),
    }
}
