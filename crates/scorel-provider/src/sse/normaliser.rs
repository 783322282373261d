use memchr::memchr2;

use crate::http::BodyError;

/// The largest accepted event, in bytes. The largest legitimate ones hold a whole reply with its
/// encrypted reasoning; the limit only keeps a broken server from filling the memory.
pub(crate) const EVENT_LIMIT: usize = 16 << 20;

/// The type given to an event that the end of the body cut off.
pub(crate) const OPEN_END: &str = "scorel-open-end";

const ERROR_FIELD: &[u8] = b"error:";

/// Rewrites what providers send outside the grammar, and bounds the size of events:
///
/// - llama.cpp and gpustack report an error as a field line `error: {json}`: becomes an event of
///   type `error`.
/// - Gemini sends an error as bare JSON lines after the events, and servers that do not stream send
///   one JSON document: becomes an event at the end of the body.
/// - Some servers leave out the blank line after the last event, which the grammar would discard:
///   the event is dispatched as type [`OPEN_END`], since its data may also be truncated.
///
/// All other bytes pass unchanged.
#[derive(Debug, Default)]
pub(crate) struct SseNormaliser {
    line: LineState,
    /// The last byte was a carriage return, so a line feed belongs to the same line end.
    after_cr: bool,
    /// Bytes of the current event or `error` line.
    event_bytes: usize,
    /// The bare JSON lines so far.
    json: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// Empty so far, except for a byte order mark.
    #[default]
    Start,
    /// Begins with this many bytes of [`ERROR_FIELD`], which are held back.
    Held(usize),
    /// A line of the grammar, passed through.
    Field,
    /// `error: …`, passed through as data.
    Error,
    /// Bare JSON, collected.
    Json,
}

impl SseNormaliser {
    /// Returns the bytes to parse in place of `bytes`.
    ///
    /// # Errors
    /// [`ReadError::TooLarge`] when one event exceeds [`EVENT_LIMIT`].
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, BodyError> {
        let mut out = Vec::with_capacity(bytes.len() + 32);
        let mut rest = bytes;
        while let Some((&byte, tail)) = rest.split_first() {
            let skipped = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            if skipped {
                out.push(byte);
                rest = tail;
            } else if byte == b'\n' && self.line == LineState::Start {
                rest = self.blank_lines(rest, &mut out);
            } else if matches!(byte, b'\n' | b'\r') {
                self.end_line(byte, &mut out);
                rest = tail;
            } else if matches!(self.line, LineState::Start | LineState::Held(_)) {
                self.begin_line(byte, &mut out);
                rest = tail;
            } else {
                rest = self.continue_line(rest, &mut out);
            }
            if self.event_bytes.max(self.json.len()) > EVENT_LIMIT {
                return Err(BodyError::TooLarge);
            }
        }
        Ok(out)
    }

    /// Returns the bytes to parse after the end of the body.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut out = Vec::new();
        match self.line {
            LineState::Start => {}
            LineState::Error => out.extend_from_slice(b"\n\n"),
            LineState::Held(_) | LineState::Field | LineState::Json => out.push(b'\n'),
        }
        // Names an event that is still open; without data this dispatches nothing.
        out.extend_from_slice(format!("event: {OPEN_END}\n\n").as_bytes());
        if !self.json.is_empty() {
            for line in self.json.split(|byte| matches!(byte, b'\n' | b'\r')) {
                out.extend_from_slice(b"data: ");
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            out.push(b'\n');
        }
        out
    }

    fn begin_line(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.event_bytes += 1;
        match self.line {
            LineState::Held(held) if ERROR_FIELD.get(held) == Some(&byte) => {
                self.hold(held + 1, out);
            }
            LineState::Held(held) => {
                out.extend_from_slice(&ERROR_FIELD[..held]);
                self.pass(byte, out);
            }
            _ => self.first_byte(byte, out),
        }
    }

    fn first_byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            b'e' => self.line = LineState::Held(1),
            b'{' | b'[' => self.collect(byte),
            // A byte of a byte order mark: the line has not begun yet.
            0xEF | 0xBB | 0xBF => out.push(byte),
            // `data`, `id`, `retry` and comments end a JSON document; no JSON line begins so.
            b'd' | b'i' | b'r' | b':' => self.pass(byte, out),
            _ if self.json.is_empty() => self.pass(byte, out),
            // The next line of pretty-printed JSON.
            _ => self.collect(byte),
        }
    }

    fn hold(&mut self, held: usize, out: &mut Vec<u8>) {
        self.line = LineState::Held(held);
        if held == ERROR_FIELD.len() {
            // The blank line dispatches the event before, which may lack its own.
            out.extend_from_slice(b"\n\nevent: error\ndata:");
            self.line = LineState::Error;
        }
    }

    fn pass(&mut self, byte: u8, out: &mut Vec<u8>) {
        out.push(byte);
        self.line = LineState::Field;
    }

    fn collect(&mut self, byte: u8) {
        self.json.push(byte);
        self.line = LineState::Json;
    }

    /// Takes bytes up to the end of the line or chunk and returns the rest.
    fn continue_line<'a>(&mut self, rest: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let end = memchr2(b'\n', b'\r', rest);
        let (line, tail) = rest.split_at(end.unwrap_or(rest.len()));
        self.event_bytes += line.len();
        match self.line {
            LineState::Json => self.json.extend_from_slice(line),
            _ => out.extend_from_slice(line),
        }
        tail
    }

    /// Takes line ends of blank lines at once, since a server may send nothing else.
    fn blank_lines<'a>(&mut self, rest: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let count = rest.iter().take_while(|byte| **byte == b'\n').count();
        let (blank, tail) = rest.split_at(count);
        self.event_bytes = 0;
        out.extend_from_slice(blank);
        tail
    }

    fn end_line(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.line {
            LineState::Start => self.event_bytes = 0,
            LineState::Held(held) => out.extend_from_slice(&ERROR_FIELD[..held]),
            LineState::Json => self.json.push(b'\n'),
            LineState::Error => out.push(b'\n'),
            LineState::Field => {}
        }
        out.push(byte);
        self.line = LineState::Start;
    }
}
