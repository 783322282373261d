use crate::http::ReadError;

/// The largest event that is accepted, in bytes.
pub(crate) const EVENT_LIMIT: usize = 16 << 20;

/// The type of the event in which a body ended.
pub(crate) const OPEN_END: &str = "scorel-open-end";

const ERROR_FIELD: &[u8] = b"error:";

/// Turns what endpoints put beside the event grammar into events, and bounds their size.
///
/// Three things are turned: a field line `error: {json}` becomes an event of type `error`; lines of
/// bare JSON, as in a body that is no event stream at all, become one event at the end; an event
/// that the body ends in is dispatched under the type [`OPEN_END`]. All other bytes pass unchanged.
#[derive(Debug, Default)]
pub(crate) struct Normaliser {
    line: Line,
    /// A line feed directly after a carriage return ends no further line.
    after_cr: bool,
    /// Bytes of the current event, or of the current `error` line.
    event_bytes: usize,
    /// The lines of bare JSON so far.
    json: Vec<u8>,
}

/// What is known about the current line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Nothing but a byte order mark.
    #[default]
    Start,
    /// It begins with that many bytes of [`ERROR_FIELD`], which are held back.
    Held(usize),
    /// It is of the grammar.
    Field,
    /// It is `error: …` and becomes data.
    Error,
    /// It is JSON and is collected.
    Json,
}

impl Normaliser {
    /// The bytes to read in place of `bytes`.
    ///
    /// # Errors
    /// [`ReadError::TooLarge`] when one event has more than [`EVENT_LIMIT`] bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
        let mut out = Vec::with_capacity(bytes.len() + 32);
        let mut rest = bytes;
        while let Some((&byte, tail)) = rest.split_first() {
            let skipped = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            if skipped {
                out.push(byte);
                rest = tail;
            } else if matches!(byte, b'\n' | b'\r') {
                self.end_line(byte, &mut out);
                rest = tail;
            } else if matches!(self.line, Line::Start | Line::Held(_)) {
                self.begin_line(byte, &mut out);
                rest = tail;
            } else {
                rest = self.continue_line(rest, &mut out);
            }
            if self.event_bytes.max(self.json.len()) > EVENT_LIMIT {
                return Err(ReadError::TooLarge);
            }
        }
        Ok(out)
    }

    /// The bytes to read after the last.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut out = Vec::new();
        match self.line {
            Line::Start => {}
            Line::Error => out.extend_from_slice(b"\n\n"),
            Line::Held(_) | Line::Field | Line::Json => out.push(b'\n'),
        }
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
            Line::Held(held) if ERROR_FIELD.get(held) == Some(&byte) => self.hold(held + 1, out),
            Line::Held(held) => {
                out.extend_from_slice(&ERROR_FIELD[..held]);
                self.pass(byte, out);
            }
            _ => self.first_byte(byte, out),
        }
    }

    fn first_byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            b'e' => self.line = Line::Held(1),
            b'{' | b'[' => self.collect(byte),
            // A byte order mark leaves the line at its start.
            0xEF | 0xBB | 0xBF => out.push(byte),
            b'd' | b'i' | b'r' | b':' => self.pass(byte, out),
            _ if self.json.is_empty() => self.pass(byte, out),
            _ => self.collect(byte),
        }
    }

    fn hold(&mut self, held: usize, out: &mut Vec<u8>) {
        self.line = Line::Held(held);
        if held == ERROR_FIELD.len() {
            // The event before it, if it is still open, ends here.
            out.extend_from_slice(b"\n\nevent: error\ndata:");
            self.line = Line::Error;
        }
    }

    fn pass(&mut self, byte: u8, out: &mut Vec<u8>) {
        out.push(byte);
        self.line = Line::Field;
    }

    fn collect(&mut self, byte: u8) {
        self.json.push(byte);
        self.line = Line::Json;
    }

    /// Takes bytes up to the end of the line or of the chunk; returns those after.
    fn continue_line<'a>(&mut self, rest: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let (line, tail) = rest.split_at(end.unwrap_or(rest.len()));
        self.event_bytes += line.len();
        match self.line {
            Line::Json => self.json.extend_from_slice(line),
            _ => out.extend_from_slice(line),
        }
        tail
    }

    fn end_line(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.line {
            Line::Start => self.event_bytes = 0,
            Line::Held(held) => out.extend_from_slice(&ERROR_FIELD[..held]),
            Line::Json => self.json.push(b'\n'),
            Line::Error => out.push(b'\n'),
            Line::Field => {}
        }
        out.push(byte);
        self.line = Line::Start;
    }
}
