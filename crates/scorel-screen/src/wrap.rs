use crate::line::{Line, Span};
use crate::style::Style;
use crate::width::{clusters, width};

/// The widest that prose becomes, in columns.
pub(crate) const PROSE: usize = 100;

/// The prefix of the rows of a wrapped text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Margins {
    /// Before the first row.
    pub(crate) first: Vec<Span>,
    /// Before the rows that continue it.
    pub(crate) rest: Vec<Span>,
}

/// Wraps styled text at words. A line feed in it begins a row. A word that is wider than a row is broken.
pub fn wrap(spans: &[Span], width: usize) -> Vec<Line> {
    wrap_within(spans, &Margins::default(), width)
}

/// As [`wrap`], with margins, which count.
pub(crate) fn wrap_within(spans: &[Span], margins: &Margins, width: usize) -> Vec<Line> {
    let mut rows = Rows::new(margins, width);
    for span in spans {
        for (place, part) in span.text.split('\n').enumerate() {
            if place > 0 {
                rows.end_row();
            }
            for (cluster, columns) in clusters(part) {
                rows.push(Cell {
                    cluster,
                    columns,
                    span,
                });
            }
        }
    }
    rows.end_row();
    rows.lines
}

/// The smallest room for text beside a margin.
pub(crate) const MIN_ROOM: usize = 4;

/// The contents of one place of a row.
#[derive(Clone, Copy)]
struct Cell<'a> {
    cluster: &'a str,
    columns: usize,
    span: &'a Span,
}

impl Cell<'_> {
    fn is_space(&self) -> bool {
        self.cluster == " "
    }

    /// Returns whether a row may end beside it, as in scripts without spaces.
    fn is_wide(&self) -> bool {
        self.columns == 2 && self.cluster.chars().all(char::is_alphabetic)
    }
}

struct Rows<'a> {
    margins: &'a Margins,
    width: usize,
    lines: Vec<Line>,
    row: Vec<Cell<'a>>,
    columns: usize,
    /// The number of cells after which the row may end, and their columns.
    break_after: Option<(usize, usize)>,
}

impl<'a> Rows<'a> {
    fn new(margins: &'a Margins, width: usize) -> Self {
        Self {
            margins,
            width,
            lines: Vec::new(),
            row: Vec::new(),
            columns: 0,
            break_after: None,
        }
    }

    fn margin(&self) -> &'a [Span] {
        match self.lines.is_empty() {
            true => &self.margins.first,
            false => &self.margins.rest,
        }
    }

    fn room(&self) -> usize {
        let taken: usize = self.margin().iter().map(|span| width(&span.text)).sum();
        self.width.saturating_sub(taken).max(MIN_ROOM)
    }

    fn push(&mut self, cell: Cell<'a>) {
        if cell.is_wide() && !self.row.is_empty() {
            self.break_after = Some((self.row.len(), self.columns));
        }
        // A space at the end of a row is not shown, so it needs no room.
        while self.columns + cell.columns > self.room() && !cell.is_space() && !self.row.is_empty()
        {
            self.break_row();
        }
        self.columns += cell.columns;
        self.row.push(cell);
        if cell.is_space() || cell.is_wide() {
            self.break_after = Some((self.row.len(), self.columns));
        }
    }

    /// Ends the row at the last place where that is possible.
    fn break_row(&mut self) {
        let (cells, columns) = self.break_after.unwrap_or((self.row.len(), self.columns));
        let rest = self.row.split_off(cells);
        self.write();
        self.columns -= columns;
        self.row = rest;
        self.break_after = None;
    }

    fn end_row(&mut self) {
        self.write();
        self.row.clear();
        self.columns = 0;
        self.break_after = None;
    }

    fn write(&mut self) {
        let mut spans = self.margin().to_vec();
        let shown = self.row.iter().rposition(|cell| !cell.is_space());
        let shown = &self.row[..shown.map_or(0, |last| last + 1)];
        let mut last: Option<&Span> = None;
        for cell in shown {
            match (last, spans.last_mut()) {
                (Some(before), Some(span)) if std::ptr::eq(before, cell.span) => {
                    span.text.push_str(cell.cluster);
                }
                _ => spans.push(Span {
                    text: cell.cluster.to_owned(),
                    style: cell.span.style,
                    link: cell.span.link.clone(),
                }),
            }
            last = Some(cell.span);
        }
        if spans.is_empty() {
            let style = self.row.first().map_or(Style::Text, |cell| cell.span.style);
            spans.push(Span::new("", style));
        }
        self.lines.push(Line { spans });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, columns: usize) -> Vec<String> {
        let span = Span::new(text, Style::Text);
        wrap(&[span], columns).iter().map(Line::text).collect()
    }

    #[test]
    fn rows_end_between_words() {
        assert_eq!(rows("one two  three", 7), ["one two", "three"]);
        assert_eq!(rows("one\n\ntwo", 9), ["one", "", "two"]);
        assert_eq!(rows("a longestword b", 6), ["a", "longes", "tword", "b"]);
        assert_eq!(rows("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(rows("", 5), [""]);
    }

    #[test]
    fn margins_count() {
        let margins = Margins {
            first: vec![Span::new("• ", Style::Mark)],
            rest: vec![Span::new("  ", Style::Mark)],
        };
        let lines = wrap_within(&[Span::new("one two", Style::Text)], &margins, 6);
        let texts: Vec<String> = lines.iter().map(Line::text).collect();
        assert_eq!(texts, ["• one", "  two"]);
    }
}
