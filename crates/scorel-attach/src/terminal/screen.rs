use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use scorel_screen::{Line, Style, Theme};
use tokio::time::sleep_until;

use super::guard::TerminalGuard;
use super::pace::{Pace, QUESTION};
use super::writer::Writer;
use crate::region::{Live, Region};
use crate::size::Size;

/// The time between two frames.
const FRAME: Duration = Duration::from_millis(33);
/// Finished lines that wait longer, if there are more than two screens of them, are skipped.
const OLD: Duration = Duration::from_secs(5);
const MAX_WAITING: usize = 4 << 20;
/// The most bytes of sequences that wait for a frame: a text for the clipboard, in base64.
const MAX_SEQUENCES: usize = 128 << 10;
/// Without news in what is above the composer for so long, the cursor stands in the composer.
const CALM: Duration = Duration::from_secs(1);
/// A terminal that takes nothing for so long is not waited for when the region closes.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest wait for the terminal's answer then.
const FAREWELL: Duration = Duration::from_millis(500);
/// The bytes of one frame then, about. Before each, lines that have become old are skipped.
const LAST_FRAMES: usize = 4096;

/// The screen: finished lines, then the live region. Draws when the terminal has taken the last frame.
#[derive(Debug)]
pub struct Screen {
    region: Region,
    writer: Writer,
    pace: Arc<Pace>,
    finished: VecDeque<Finished>,
    /// The bytes of the finished lines, about.
    waiting: usize,
    /// Lines that were left out since one was printed.
    skipped: usize,
    /// The finished lines of the frame that was given last.
    given: usize,
    is_touched: bool,
    /// Sequences that go before the next frame.
    sequences: Vec<u8>,
    next_frame: Instant,
    /// When the cursor may go to the composer.
    calm_at: Instant,
}

#[derive(Debug)]
struct Finished {
    line: Line,
    since: Instant,
}

impl Screen {
    /// An empty region at the cursor, which has to be at the beginning of a row. Draws while the guard has its modes set.
    ///
    /// # Errors
    ///
    /// There are too many threads.
    pub fn new(theme: Theme, guard: &TerminalGuard) -> io::Result<Self> {
        let now = Instant::now();
        Ok(Self {
            region: Region::new(Size::now(), theme),
            writer: Writer::new(guard.output())?,
            pace: Arc::new(Pace::new()),
            finished: VecDeque::new(),
            waiting: 0,
            skipped: 0,
            given: 0,
            is_touched: true,
            sequences: Vec::new(),
            next_frame: now,
            calm_at: now,
        })
    }

    /// Prints finished lines above the region, once. In front of a terminal that is two screens and five seconds
    /// behind, the oldest are skipped, which a line says.
    pub fn print(&mut self, lines: Vec<Line>) {
        let since = Instant::now();
        for line in lines {
            self.waiting += cost(&line);
            self.finished.push_back(Finished { line, since });
        }
        self.is_touched = true;
        if self.waiting > MAX_WAITING {
            self.skip();
        }
    }

    /// Sends a sequence that moves no cursor, such as a bell, with the next frame.
    pub fn send(&mut self, sequence: &[u8]) {
        if self.sequences.len() < MAX_SEQUENCES {
            self.sequences.extend_from_slice(sequence);
        }
        self.is_touched = true;
    }

    /// The live region shall be drawn anew, because what it shows has changed.
    pub fn touch(&mut self) {
        self.is_touched = true;
    }

    /// All of the region shall be drawn: after [`TerminalGuard::set`], or for Ctrl+L.
    pub fn redraw(&mut self) {
        self.region.redraw();
        self.is_touched = true;
    }

    /// Returns whether something waits to be drawn.
    pub fn is_behind(&self) -> bool {
        self.is_touched || !self.finished.is_empty()
    }

    /// Waits until there is something to [`draw`](Self::draw), and the terminal can take it. Cancelling loses nothing.
    pub async fn ready(&self) {
        loop {
            self.writer.written().await;
            let now = Instant::now();
            let from = if self.is_behind() {
                self.next_frame
            } else {
                self.calm_at.max(self.next_frame)
            };
            let rests = !self.is_behind() && self.region.has_rest();
            if !rests && now >= from && self.pace.room(now) > 0 {
                return;
            }
            if rests {
                std::future::pending::<()>().await;
            }
            if now < from {
                sleep_until(from.into()).await;
            } else {
                self.pace.change(now).await;
            }
        }
    }

    /// Draws one frame: what `live` makes for the terminal's size at this moment, and as many finished lines as the
    /// terminal can take.
    pub fn draw(&mut self, live: impl FnOnce(Size) -> Live) {
        if self.writer.is_busy() {
            return;
        }
        let now = Instant::now();
        let size = Size::now();
        self.skip_old(size, now);
        let live = live(size);
        let lines = self.next_lines(self.pace.room(now));
        if !lines.is_empty() || !self.region.is_calm(size, &live) {
            self.calm_at = now + CALM;
        }
        let mut bytes = self.region.update(size, &lines, live, now >= self.calm_at);
        if !self.sequences.is_empty() {
            bytes.splice(0..0, self.sequences.drain(..));
        }
        self.is_touched = false;
        self.next_frame = if self.finished.is_empty() {
            now + FRAME
        } else {
            now
        };
        if !bytes.is_empty() {
            if self.pace.sends(bytes.len(), now) {
                bytes.extend_from_slice(QUESTION);
            }
            self.give(bytes, lines.len());
        }
    }

    /// Removes the region, for another program or for the end. Finished lines that wait are printed first.
    ///
    /// Waits as long as the terminal takes bytes at all, and not for long for its answer. If it takes none, the rest of
    /// the frame is given up with [`TerminalGuard::restore`], which belongs after this, and a line will say so.
    pub async fn close(&mut self) {
        let size = Size::now();
        let mut is_written = self.writer.written_within(PATIENCE).await;
        while is_written && !self.finished.is_empty() {
            self.skip_old(size, Instant::now());
            let lines = self.next_lines(LAST_FRAMES);
            let bytes = self.region.update(size, &lines, Live::default(), false);
            self.give(bytes, lines.len());
            is_written = self.writer.written_within(PATIENCE).await;
        }
        let bytes = self.region.close();
        if is_written {
            self.give(bytes, 0);
            is_written = self.writer.written_within(PATIENCE).await;
        }
        if is_written {
            self.pace.settled(FAREWELL).await;
        } else {
            self.skipped += self.given;
            self.pace.forget();
        }
        self.is_touched = true;
    }

    fn give(&mut self, bytes: Vec<u8>, lines: usize) {
        self.given = lines;
        self.writer.give(bytes);
    }

    pub(super) fn pace(&self) -> Arc<Pace> {
        Arc::clone(&self.pace)
    }

    /// The finished lines of the next frame: those for which there is room, at least one if there is any.
    fn next_lines(&mut self, room: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        if self.skipped > 0 {
            let count = std::mem::take(&mut self.skipped);
            lines.push(Line::plain(
                &format!("… {count} lines skipped: Ctrl+O"),
                Style::Note,
            ));
        }
        let mut taken = 0;
        while taken < room
            && let Some(finished) = self.finished.pop_front()
        {
            let cost = cost(&finished.line);
            taken += cost;
            self.waiting = self.waiting.saturating_sub(cost);
            lines.push(finished.line);
        }
        lines
    }

    fn skip_old(&mut self, size: Size, now: Instant) {
        let is_old = self
            .finished
            .front()
            .is_some_and(|it| now.duration_since(it.since) > OLD);
        if is_old && self.finished.len() > 2 * usize::from(size.rows) {
            self.skip();
        }
    }

    /// Leaves out all but the last screen.
    fn skip(&mut self) {
        let kept = usize::from(Size::now().rows);
        while self.finished.len() > kept
            && let Some(finished) = self.finished.pop_front()
        {
            self.waiting = self.waiting.saturating_sub(cost(&finished.line));
            self.skipped += 1;
        }
    }
}

/// The bytes of a line, about.
fn cost(line: &Line) -> usize {
    16 + line
        .spans
        .iter()
        .map(|span| span.text.len() + 8)
        .sum::<usize>()
}

#[cfg(test)]
mod tests;
