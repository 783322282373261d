use scorel_screen::{Line, Span, Style, visible, width};
use unicode_segmentation::UnicodeSegmentation;

const PROMPT: &str = "❯ ";
const INDENT: &str = "  ";
const TAB: &str = "    ";

/// A text in rows of at most so many columns. It wraps between any two graphemes, so that no key moves words.
#[derive(Debug)]
pub(super) struct Layout {
    rows: Vec<Row>,
    caret: (usize, usize),
}

#[derive(Debug, Default)]
struct Row {
    shown: String,
    /// For each place of the caret: its column, and its byte in the text.
    places: Vec<(usize, usize)>,
    columns: usize,
}

impl Layout {
    pub(super) fn new(text: &str, caret: usize, columns: usize) -> Self {
        let columns = columns.saturating_sub(INDENT.len()).max(2);
        let mut layout = Self {
            rows: vec![Row::default()],
            caret: (0, 0),
        };
        for (at, grapheme) in text.grapheme_indices(true) {
            let is_break = matches!(grapheme, "\n" | "\r\n");
            let shown = match grapheme {
                _ if is_break => "".into(),
                "\t" => TAB.into(),
                _ => visible(grapheme),
            };
            let cells = width(&shown);
            if layout.last().columns + cells > columns {
                layout.rows.push(Row::default());
            }
            layout.place(at, caret);
            let row = layout.last();
            row.shown.push_str(&shown);
            row.columns += cells;
            if is_break {
                layout.rows.push(Row::default());
            }
        }
        // The caret needs a cell at the end too.
        if layout.last().columns >= columns {
            layout.rows.push(Row::default());
        }
        layout.place(text.len(), caret);
        layout
    }

    /// At most `max` rows, with the caret's among them.
    pub(super) fn window(self, max: usize) -> (Vec<Line>, (usize, usize)) {
        let max = max.max(1);
        let (row, column) = self.caret;
        let first = (row + 1)
            .saturating_sub(max)
            .min(self.rows.len().saturating_sub(max));
        let rows = self.rows.into_iter().enumerate().skip(first).take(max);
        let lines = rows.map(|(at, row)| Line {
            spans: vec![
                Span::new(if at == 0 { PROMPT } else { INDENT }, Style::User),
                Span::new(row.shown, Style::Text),
            ],
        });
        (lines.collect(), (row - first, column + INDENT.len()))
    }

    /// The byte of the text that is some rows away in the caret's column.
    pub(super) fn caret_in_row(&self, by: isize) -> Option<usize> {
        let (row, column) = self.caret;
        let row = self.rows.get(row.checked_add_signed(by)?)?;
        let before = row.places.iter().rev().find(|(at, _)| *at <= column);
        before.or(row.places.first()).map(|(_, byte)| *byte)
    }

    fn place(&mut self, at: usize, caret: usize) {
        let row = self.rows.len() - 1;
        let last = self.last();
        let column = last.columns;
        last.places.push((column, at));
        if at == caret {
            self.caret = (row, column);
        }
    }

    fn last(&mut self) -> &mut Row {
        if self.rows.is_empty() {
            self.rows.push(Row::default());
        }
        let last = self.rows.len() - 1;
        &mut self.rows[last]
    }
}
