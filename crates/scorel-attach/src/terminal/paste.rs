use std::time::{Duration, Instant};

/// The mark after a bracketed paste.
const END: &[u8] = b"\x1b[201~";

/// The terminal's answer to the question for its state. One that hands over a paste in pieces may answer in between.
const ANSWER: &[u8] = b"\x1b[0n";

/// A paste whose end mark does not come by then is over, so that it does not swallow keys for ever.
const SILENCE: Duration = Duration::from_secs(1);

/// The most bytes of one paste. What follows comes as another one.
pub(super) const MAX_PASTE: usize = 8 << 20;

/// Pressed alone, after a pause, within a paste without end.
const WAYS_OUT: [&[u8]; 4] = [b"\x03", b"\x04", b"\x1b[99;5u", b"\x1b[100;5u"];
const PAUSE: Duration = Duration::from_millis(50);

/// A bracketed paste that is under way.
#[derive(Debug)]
pub(super) struct Paste {
    bytes: Vec<u8>,
    last: Instant,
    answers: usize,
}

/// A paste after more bytes.
#[derive(Debug)]
pub(super) enum Progress<'a> {
    /// All bytes belonged to it.
    More,
    /// It is over, and these bytes do not belong to it.
    Over { text: String, rest: &'a [u8] },
}

impl Paste {
    pub(super) const fn new(now: Instant) -> Self {
        Self {
            bytes: Vec::new(),
            last: now,
            answers: 0,
        }
    }

    /// Takes the bytes of one read.
    pub(super) fn feed<'a>(&mut self, bytes: &'a [u8], now: Instant) -> Progress<'a> {
        if WAYS_OUT.contains(&bytes) && now.duration_since(self.last) >= PAUSE {
            return Progress::Over {
                text: self.end(),
                rest: bytes,
            };
        }
        self.last = now;
        for (at, &byte) in bytes.iter().enumerate() {
            self.bytes.push(byte);
            if byte == b'~' && self.bytes.ends_with(END) {
                self.bytes.truncate(self.bytes.len() - END.len());
            } else if byte == b'n' && self.bytes.ends_with(ANSWER) {
                self.bytes.truncate(self.bytes.len() - ANSWER.len());
                self.answers += 1;
                continue;
            } else if self.bytes.len() < MAX_PASTE {
                continue;
            }
            return Progress::Over {
                text: self.end(),
                rest: &bytes[at + 1..],
            };
        }
        Progress::More
    }

    /// The number of answers within it since the last call. They are not text.
    pub(super) fn take_answers(&mut self) -> usize {
        std::mem::take(&mut self.answers)
    }

    pub(super) fn deadline(&self) -> Instant {
        self.last + SILENCE
    }

    /// The text so far.
    pub(super) fn end(&mut self) -> String {
        text(&std::mem::take(&mut self.bytes))
    }

    /// Forgets the text so far; the paste goes on.
    pub(super) fn forget(&mut self) {
        self.bytes.clear();
    }
}

/// Pasted bytes as text, with line feeds for all kinds of line breaks.
pub(super) fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.replace("\r\n", "\n").replace('\r', "\n")
}
