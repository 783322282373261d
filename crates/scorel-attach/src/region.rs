//! The live region at the bottom of the terminal.
//!
//! Between two updates the terminal's cursor is parked at the region's first cell, hidden, and the caret is drawn as an
//! inverted cell. A terminal that reflows its rows, or drops rows because it became lower, takes the parked cursor with
//! the row that it is in. So an update never has to know by how many rows the region has grown meanwhile: it writes at
//! the cursor and below, and what is above, which are the finished lines, is out of its reach. This holds even while
//! the terminal has a new size already and its program does not know yet (tmux tells up to 250 ms later).
//!
//! While nothing but the composer changes, the real cursor stands at the caret, where input methods open their windows.
//! The way back up is then as many rows as the region had when it was drawn: a terminal may since have made more of
//! them, never fewer, so at worst a stale row of the region stays, and no finished line goes.
//!
//! Steps down are line feeds, never `CSI B`: at the last row they scroll, where `CSI B` would stay, and the steps up
//! afterwards would lead too high. Automatic wrapping is off within the region, so that each of its rows is one row.

mod alignment;
mod frame;
mod row;

use scorel_screen::{Line, Theme};

use self::alignment::{Step, steps};
use self::frame::Frame;
use self::row::Row;
use crate::size::Size;

/// The wanted contents of the region.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Live {
    /// Its rows, none wider than the terminal. Those that do not fit are left out from the top.
    pub lines: Vec<Line>,
    /// Row and column of the caret; `None` shows none.
    pub caret: Option<(usize, usize)>,
}

/// The live region as the terminal shows it, and the bytes that change it.
#[derive(Debug)]
pub struct Region {
    theme: Theme,
    size: Size,
    rows: Vec<Row>,
    /// The cell of the visible cursor of the terminal; without it, the cursor is parked.
    rests: Option<(usize, usize)>,
    is_stale: bool,
}

impl Region {
    /// An empty region at the terminal's cursor, which is at the beginning of an empty row.
    pub fn new(size: Size, theme: Theme) -> Self {
        Self {
            theme,
            size,
            rows: Vec::new(),
            rests: None,
            is_stale: true,
        }
    }

    /// The bytes that print finished lines above the region and show what it contains now; none if nothing changed.
    /// The real cursor goes to the caret if `is_calm`.
    pub fn update(&mut self, size: Size, finished: &[Line], live: Live, is_calm: bool) -> Vec<u8> {
        let (mut rows, caret) = shown(size, live);
        let rests = caret.filter(|_| is_calm);
        if let (Some((row, column)), None) = (caret, rests) {
            rows[row].caret = Some(column);
        }
        let is_whole = self.is_stale || size != self.size || !finished.is_empty();
        if !is_whole && rows == self.rows && rests == self.rests {
            return Vec::new();
        }
        let mut frame = self.frame();
        if rests.is_none() && (self.rests.is_some() || self.is_stale) {
            frame.hide_cursor();
        }
        if is_whole {
            frame.print(finished);
            frame.draw(&rows);
        } else {
            self.edit(&mut frame, &rows);
        }
        match rests {
            Some((row, column)) => {
                frame.go(row, column);
                if self.rests.is_none() {
                    frame.show_cursor();
                }
            }
            None => frame.go(0, 0),
        }
        let bytes = frame.end();
        self.size = size;
        self.rows = rows;
        self.rests = rests;
        self.is_stale = false;
        bytes
    }

    /// Returns whether the terminal has the size at which the region was drawn, and all rows above the caret stay.
    pub fn is_calm(&self, size: Size, live: &Live) -> bool {
        let (rows, caret) = shown(size, live.clone());
        let above = caret.map_or(0, |(row, _)| row);
        let is_same = |drawn: &[Row]| {
            rows[..above]
                .iter()
                .zip(drawn)
                .all(|(new, old)| new.line == old.line)
        };
        !self.is_stale && size == self.size && self.rows.get(..above).is_some_and(is_same)
    }

    /// Returns whether no caret is drawn: the cursor of the terminal is there, or there is none.
    pub fn has_rest(&self) -> bool {
        self.rows.iter().all(|row| row.caret.is_none())
    }

    /// Draws all of it with the next update: after another program had the terminal, or when a user asks.
    pub fn redraw(&mut self) {
        self.is_stale = true;
    }

    /// The bytes that remove the region. The cursor is then where its first row was, and visible.
    pub fn close(&mut self) -> Vec<u8> {
        let mut frame = self.frame();
        frame.print(&[]);
        frame.show_cursor();
        frame.wrap_again();
        let bytes = frame.end();
        self.rows.clear();
        self.rests = None;
        self.is_stale = true;
        bytes
    }

    fn frame(&self) -> Frame {
        let (row, column) = self.rests.unwrap_or_default();
        // After another program had the terminal, only the row is right.
        Frame::new(self.theme, row, Some(column).filter(|_| !self.is_stale))
    }

    /// Changes only the rows that differ.
    fn edit(&self, frame: &mut Frame, rows: &[Row]) {
        let growth = rows.len().saturating_sub(self.rows.len());
        if growth > 0 {
            // The screen scrolls first if the region has no room below.
            frame.go(rows.len() - 1, 0);
        }
        let plan = steps(&self.rows, rows);
        // Removing before inserting, so that no row is pushed off the screen.
        let mut at = 0;
        for step in &plan {
            match step {
                Step::Remove => frame.remove_row(at),
                Step::Insert => {}
                Step::Keep { .. } => at += 1,
            }
        }
        for (at, step) in plan
            .iter()
            .filter(|step| !matches!(step, Step::Remove))
            .enumerate()
        {
            match step {
                Step::Insert => {
                    frame.insert_row(at);
                    frame.write_row(at, None, &rows[at]);
                }
                Step::Keep { old } => frame.write_row(at, Some(&self.rows[*old]), &rows[at]),
                Step::Remove => {}
            }
        }
    }
}

/// The rows that fit into half of the terminal, and the cell of the caret among them.
fn shown(size: Size, live: Live) -> (Vec<Row>, Option<(usize, usize)>) {
    let room = usize::from(size.rows / 2)
        .max(2)
        .min(usize::from(size.rows));
    let cut = live.lines.len().saturating_sub(room);
    let rows: Vec<Row> = live.lines.into_iter().skip(cut).map(Row::new).collect();
    let caret = live.caret.and_then(|(row, column)| {
        let row = row.checked_sub(cut)?;
        (row < rows.len()).then(|| (row, column.min(usize::from(size.columns) - 1)))
    });
    (rows, caret)
}

#[cfg(test)]
mod tests;
