use pulldown_cmark::Alignment;

use crate::line::{Line, Span};
use crate::style::Style;
use crate::width::width;
use crate::wrap::{MIN_ROOM, wrap};

/// The columns between two columns of a table.
const GAP: usize = 2;

/// The narrowest that a column becomes when there is no room.
const MIN_COLUMN: usize = MIN_ROOM;

/// A table with its columns aligned. Its first row is the head.
#[derive(Debug)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Vec<Span>>>,
    row: Vec<Vec<Span>>,
}

impl Table {
    pub(super) const fn new(alignments: Vec<Alignment>) -> Self {
        Self {
            alignments,
            rows: Vec::new(),
            row: Vec::new(),
        }
    }

    pub(super) fn cell(&mut self, spans: &[Span]) {
        self.row.push(spans.to_vec());
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// The rows in so much room. What has no room in a cell goes on below; if there are too many columns for that,
    /// the cells of a row stand one below the other.
    pub(super) fn rows(&self, room: usize) -> Vec<Line> {
        let columns = self.alignments.len();
        match columns * MIN_COLUMN + columns.saturating_sub(1) * GAP > room {
            true => self.listed(room),
            false => self.aligned(&self.widths(room)),
        }
    }

    /// The columns' widths: as their cells need, the widest less if there is no room.
    fn widths(&self, room: usize) -> Vec<usize> {
        let mut widths = vec![1; self.alignments.len()];
        for row in &self.rows {
            for (wide, cell) in widths.iter_mut().zip(row) {
                *wide = (*wide).max(cell_width(cell));
            }
        }
        let room = room - (widths.len().saturating_sub(1)) * GAP;
        let mut over = widths.iter().sum::<usize>().saturating_sub(room);
        while over > 0 {
            let widest = widths.iter().copied().max().unwrap_or(0);
            let next = widths.iter().copied().filter(|wide| *wide < widest).max();
            let floor = next.unwrap_or(MIN_COLUMN).max(MIN_COLUMN);
            let count = widths.iter().filter(|wide| **wide == widest).count();
            let less = (widest - floor).min(over / count).max(1);
            for wide in widths.iter_mut().filter(|wide| **wide == widest) {
                let less = less.min(over);
                *wide -= less;
                over -= less;
            }
        }
        widths
    }

    fn aligned(&self, widths: &[usize]) -> Vec<Line> {
        let mut lines = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            let mut cells: Vec<Vec<Line>> = Vec::new();
            for (index, wide) in widths.iter().enumerate() {
                cells.push(wrap(row.get(index).map_or(&[], Vec::as_slice), *wide));
            }
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            lines.extend((0..height).map(|at| self.row_of(&cells, at, widths)));
            if place == 0 {
                let rules: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
                lines.push(Line::raw(rules.join(&" ".repeat(GAP)), Style::Mark));
            }
        }
        lines
    }

    fn row_of(&self, cells: &[Vec<Line>], at: usize, widths: &[usize]) -> Line {
        let mut line = Line::default();
        let mut spaces = 0;
        for (index, (cell, wide)) in cells.iter().zip(widths).enumerate() {
            let shown = cell.get(at).cloned().unwrap_or_default();
            let free = wide.saturating_sub(shown.width());
            let before = match self.alignments[index] {
                Alignment::Right => free,
                Alignment::Center => free / 2,
                Alignment::Left | Alignment::None => 0,
            };
            spaces += before;
            if shown.width() > 0 {
                line.spans.push(Span::new(" ".repeat(spaces), Style::Text));
                line.spans.extend(shown.spans);
                spaces = 0;
            } else {
                spaces += shown.width();
            }
            spaces += free - before + GAP;
        }
        line
    }

    fn listed(&self, room: usize) -> Vec<Line> {
        let mut rows = self.rows.iter();
        let head = rows.next().map_or(&[][..], Vec::as_slice);
        let mut lines = Vec::new();
        for row in rows {
            for (index, cell) in row.iter().enumerate() {
                let mut spans = head.get(index).cloned().unwrap_or_default();
                spans.push(Span::new(": ", Style::Mark));
                spans.extend(cell.iter().cloned());
                lines.extend(wrap(&spans, room));
            }
            lines.push(Line::raw("", Style::Text));
        }
        lines.pop();
        lines
    }
}

fn cell_width(cell: &[Span]) -> usize {
    cell.iter().map(|span| width(&span.text)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let mut table = Table::new(vec![Alignment::Left, Alignment::Right]);
        for row in rows {
            for cell in *row {
                table.cell(&[Span::new(*cell, Style::Text)]);
            }
            table.end_row();
        }
        table
    }

    fn texts(table: &Table, room: usize) -> Vec<String> {
        table.rows(room).iter().map(Line::text).collect()
    }

    #[test]
    fn columns_are_aligned_and_fit() {
        let wide = table(&[&["name", "size"], &["漢字", "1"], &["a b c d e f", "12"]]);
        let rows = [
            "name         size",
            "───────────  ────",
            "漢字            1",
            "a b c d e f    12",
        ];
        assert_eq!(texts(&wide, 80), rows);
        let rows = [
            "name   size",
            "─────  ────",
            "漢字      1",
            "a b c    12",
            "d e f",
        ];
        assert_eq!(texts(&wide, 11), rows);
        assert_eq!(
            texts(&wide, 10)[..3],
            ["name  size", "────  ────", "漢字     1"]
        );
    }

    #[test]
    fn cells_that_have_no_room_beside_each_other_stand_below_each_other() {
        let wide = table(&[&["name", "size"], &["漢字", "1"], &["a b", "12"]]);
        let rows = ["name: 漢", "字", "size: 1", "", "name: a b", "size: 12"];
        assert_eq!(texts(&wide, 9), rows);
    }
}
