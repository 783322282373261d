use bytes::{Bytes, BytesMut};
use memchr::memchr;
use scorel_peer::LineCutter;
use tokio::sync::mpsc;

/// The longest line that is read, in bytes. A longer one is skipped, and those after it are read.
pub(crate) const MAX_LINE: usize = 32 * 1024 * 1024;

/// What the editor sends, in lines.
#[derive(Debug)]
pub(crate) struct Lines {
    pieces: mpsc::Receiver<Bytes>,
    buffer: BytesMut,
    cutter: LineCutter,
    /// True inside of a line that is skipped.
    skipping: bool,
}

/// A line of the editor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Bytes),
    /// It was skipped.
    TooLong,
}

impl Lines {
    pub(crate) fn new(pieces: mpsc::Receiver<Bytes>) -> Self {
        Self {
            pieces,
            buffer: BytesMut::new(),
            cutter: LineCutter::new(MAX_LINE),
            skipping: false,
        }
    }

    /// The next line; `None` at the end. What follows the last line end is a line too. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            match self.cutter.next(&mut self.buffer) {
                Ok(Some(line)) => return Some(Line::Whole(line)),
                Ok(None) => {}
                Err(_) => {
                    // Cut off already if its end was there.
                    if self.buffer.len() > MAX_LINE {
                        drop(self.cutter.rest(&mut self.buffer));
                        self.skipping = true;
                    }
                    return Some(Line::TooLong);
                }
            }
            let Some(piece) = self.pieces.recv().await else {
                let rest = self.cutter.rest(&mut self.buffer);
                return (!rest.is_empty()).then_some(Line::Whole(rest));
            };
            self.take(&piece);
        }
    }

    fn take(&mut self, piece: &[u8]) {
        let mut piece = piece;
        if self.skipping {
            let Some(end) = memchr(b'\n', piece) else {
                return;
            };
            piece = &piece[end + 1..];
            self.skipping = false;
        }
        self.buffer.extend_from_slice(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_alone() {
        let (sender, pieces) = mpsc::channel(1);
        let mut lines = Lines::new(pieces);
        let sending = tokio::spawn(async move {
            sender.send("a\n".into()).await.expect("a reader");
            for _ in 0..=MAX_LINE / (1024 * 1024) {
                let piece = vec![b'x'; 1024 * 1024];
                sender.send(piece.into()).await.expect("a reader");
            }
            sender.send("x\nb\r\nc".into()).await.expect("a reader");
        });
        let whole = |text: &'static str| Some(Line::Whole(text.into()));
        assert_eq!(lines.next().await, whole("a"));
        assert_eq!(lines.next().await, Some(Line::TooLong));
        assert_eq!(lines.next().await, whole("b"));
        assert_eq!(lines.next().await, whole("c"));
        assert_eq!(lines.next().await, None);
        sending.await.expect("sent");
    }
}
