//! Turns the terminal's bytes into keys.
//!
//! The parser of `crossterm` is not used: it takes the terminal's replies (OSC, DCS) for typed text, waits for ever for
//! the end of a paste, and does not tell when bytes came, without which a pasted line break is an Enter.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::input::{Input, Key};
use super::paste::{MAX_PASTE, Paste, Progress, text};
use super::sequence::{Sequence, control, control_character, single_shift};

/// A line break so close to text, before or after it, is text.
const GAP: Duration = Duration::from_millis(10);
/// The same around large pieces, whose senders are waited for.
const LARGE_GAP: Duration = Duration::from_millis(100);
const LARGE: usize = 256;
/// As much text at once was not typed.
const PASTED: usize = 64;
/// After it, an escape character is the key.
const ESCAPE: Duration = Duration::from_millis(30);
/// After it, the rest of a sequence does not come any more.
const SEQUENCE: Duration = Duration::from_millis(500);
/// The most bytes of a control sequence.
const MAX_SEQUENCE: usize = 64;

#[derive(Debug)]
enum State {
    Ground,
    /// After an escape character, these bytes.
    Escape(Vec<u8>),
    /// Within a string of the terminal, such as the reply about a colour.
    Reply {
        /// The byte after the escape character, until there is more: then it may be a key.
        start: Option<u8>,
        /// The last byte was an escape character.
        is_escaped: bool,
    },
    Paste(Paste),
}

/// The state of decoding: bytes go in with the time at which they came, inputs come out.
#[derive(Debug)]
pub(super) struct Decoder {
    state: State,
    /// The text of this read.
    run: Vec<u8>,
    /// Text that may be part of a paste.
    held: Vec<u8>,
    held_until: Instant,
    last_byte: Instant,
    /// Until then, what comes belongs to the last text. That nothing has come is seen by [`tick`](Self::tick) alone: a
    /// thread that was kept waiting finds old bytes at a late time.
    quiet_at: Option<Instant>,
    is_large: bool,
    /// The held bytes came directly after other text.
    is_close: bool,
    decoded: VecDeque<Input>,
    answers: usize,
}

impl Decoder {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            state: State::Ground,
            run: Vec::new(),
            held: Vec::new(),
            held_until: now,
            last_byte: now,
            quiet_at: None,
            is_large: false,
            is_close: false,
            decoded: VecDeque::new(),
            answers: 0,
        }
    }

    /// Takes the bytes of one read, at its time. What waited for bytes goes on waiting: see [`tick`](Self::tick).
    pub(super) fn feed(&mut self, bytes: &[u8], now: Instant) {
        self.last_byte = now;
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if let State::Paste(paste) = &mut self.state {
                let progress = paste.feed(rest, now);
                self.answers += paste.take_answers();
                match progress {
                    Progress::More => return,
                    Progress::Over { text, rest: after } => {
                        self.pasted(text, now);
                        rest = after;
                    }
                }
                continue;
            }
            rest = after;
            self.byte(byte, now);
        }
        self.hold(now);
    }

    /// Ends what waits for bytes that did not come until `now`.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        // A sequence that has begun may be the end of a paste.
        let is_between = matches!(self.state, State::Ground);
        if is_between && now >= self.held_until {
            self.settle(false);
        }
        self.quiet_at = self.quiet_at.filter(|&at| now < at);
        let is_cut_off = now >= self.sequence_ends();
        match &mut self.state {
            State::Paste(paste) if now >= paste.deadline() => {
                let text = paste.end();
                self.pasted(text, now);
            }
            State::Escape(_) | State::Reply { .. } if is_cut_off => self.give_up(),
            _ => {}
        }
    }

    /// The time of the next [`tick`](Self::tick).
    pub(super) fn deadline(&self) -> Option<Instant> {
        let state = match &self.state {
            State::Ground => None,
            State::Escape(_) | State::Reply { .. } => Some(self.sequence_ends()),
            State::Paste(paste) => Some(paste.deadline()),
        };
        let is_held = !self.held.is_empty() && matches!(self.state, State::Ground);
        let held = Some(self.held_until).filter(|_| is_held);
        [state, held, self.quiet_at].into_iter().flatten().min()
    }

    pub(super) fn next(&mut self) -> Option<Input> {
        self.decoded.pop_front()
    }

    /// Returns whether the terminal has answered the question for its state since the last call.
    pub(super) fn take_answer(&mut self) -> bool {
        std::mem::take(&mut self.answers) > 0
    }

    /// Forgets what was typed and is not read yet.
    pub(super) fn discard_typed(&mut self) {
        self.run.clear();
        self.held.clear();
        self.decoded.clear();
        if let State::Paste(paste) = &mut self.state {
            paste.forget();
        }
    }

    fn byte(&mut self, byte: u8, now: Instant) {
        match &mut self.state {
            State::Ground => self.ground(byte, now),
            State::Escape(bytes) => {
                let bytes = std::mem::take(bytes);
                self.escape(bytes, byte, now);
            }
            State::Reply { start, is_escaped } => match byte {
                b'\\' if *is_escaped => self.state = State::Ground,
                0x07 => self.state = State::Ground,
                // No reply contains these; so the string has no end.
                0x03 | 0x04 | 0x18 | 0x1a => self.restart(byte, now),
                0x1b => {
                    *start = None;
                    *is_escaped = true;
                }
                _ if *is_escaped => {
                    self.state = State::Escape(Vec::new());
                    self.byte(byte, now);
                }
                _ => *start = None,
            },
            // The caller hands them over together.
            State::Paste(_) => {}
        }
    }

    fn ground(&mut self, byte: u8, now: Instant) {
        match byte {
            0x1b => {
                self.hold(now);
                self.state = State::Escape(Vec::new());
            }
            b'\r' | b'\n' | b'\t' | 0x20..=0x7e | 0x80.. => self.run.push(byte),
            _ => {
                self.hold(now);
                self.settle(false);
                self.decoded.extend(control_character(byte).map(Input::Key));
            }
        }
    }

    fn restart(&mut self, byte: u8, now: Instant) {
        self.state = State::Ground;
        self.byte(byte, now);
    }

    /// Goes on with an escape sequence of which there are some bytes.
    fn escape(&mut self, mut bytes: Vec<u8>, byte: u8, now: Instant) {
        let sequence = match (bytes.first(), byte) {
            (None, b'[' | b'O') => {
                self.state = State::Escape(vec![byte]);
                return;
            }
            (None, b']' | b'P' | b'_' | b'^' | b'X') => {
                self.state = State::Reply {
                    start: Some(byte),
                    is_escaped: false,
                };
                return;
            }
            (None, 0x1b) => {
                self.settle(false);
                self.decoded.push_back(Input::Key(Key::Esc));
                self.state = State::Escape(Vec::new());
                return;
            }
            (None, _) => alt(byte),
            (Some(b'O'), 0x20..=0x7e) => Some(single_shift(byte)),
            (Some(b'['), 0x40..=0x7e) => {
                let parameters = String::from_utf8_lossy(&bytes[1..]);
                Some(control(&parameters, byte))
            }
            (Some(b'['), 0x20..=0x3f) => {
                if bytes.len() < MAX_SEQUENCE {
                    bytes.push(byte);
                }
                self.state = State::Escape(bytes);
                return;
            }
            // Not a sequence: what interrupts it counts.
            _ => {
                self.restart(byte, now);
                return;
            }
        };
        self.state = State::Ground;
        match sequence {
            Some(sequence) => self.complete(sequence, now),
            None => {
                self.settle(false);
                self.decoded.push_back(Input::Key(Key::Esc));
                self.byte(byte, now);
            }
        }
    }

    fn complete(&mut self, sequence: Sequence, now: Instant) {
        match sequence {
            Sequence::Input(input) => {
                self.settle(false);
                self.decoded.push_back(input);
            }
            Sequence::PasteBegins => {
                self.settle(false);
                self.state = State::Paste(Paste::new(now));
            }
            // A paste contained its own end mark; this is the real one, so what came before was pasted too.
            Sequence::PasteEnds => self.settle(true),
            Sequence::Answer => self.answers += 1,
            Sequence::Nothing => {}
        }
    }

    /// Decides about the text of this read: typed, or held until it is known whether more belongs to it.
    fn hold(&mut self, now: Instant) {
        let end = complete_characters(&self.run);
        let run: Vec<u8> = self.run.drain(..end).collect();
        if run.is_empty() {
            return;
        }
        let is_close = self.quiet_at.is_some();
        self.quiet_at = Some(now + GAP);
        let is_key = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'\t');
        if self.held.is_empty() && run.len() < PASTED && !run.iter().any(is_key) {
            self.is_large = false;
            let text = String::from_utf8_lossy(&run);
            self.decoded
                .extend(text.chars().map(|char| Input::Key(Key::Char(char))));
            return;
        }
        if self.held.is_empty() {
            self.is_close = is_close;
        }
        self.held.extend_from_slice(&run);
        self.is_large = self.held.len() >= LARGE || (self.is_large && is_close);
        let gap = if self.is_large { LARGE_GAP } else { GAP };
        self.held_until = now + gap;
        self.quiet_at = Some(self.held_until + gap);
        if self.held.len() >= MAX_PASTE {
            self.settle(true);
        }
    }

    /// Hands on the text that was held.
    fn settle(&mut self, is_paste: bool) {
        let held = std::mem::take(&mut self.held);
        let is_close = is_paste || self.is_close;
        let input = match held.as_slice() {
            [] => return,
            [b'\r' | b'\n'] if is_close => Input::Key(Key::Newline),
            [byte @ (b'\r' | b'\n' | b'\t')] if !is_close => match control_character(*byte) {
                Some(key) => Input::Key(key),
                None => return,
            },
            _ => Input::Paste(text(&held)),
        };
        self.decoded.push_back(input);
    }

    fn pasted(&mut self, text: String, now: Instant) {
        self.state = State::Ground;
        self.is_large = text.len() >= LARGE;
        self.quiet_at = Some(now + if self.is_large { LARGE_GAP } else { GAP });
        if !text.is_empty() {
            self.decoded.push_back(Input::Paste(text));
        }
    }

    fn sequence_ends(&self) -> Instant {
        let is_begun = matches!(&self.state, State::Escape(bytes) if bytes.is_empty());
        self.last_byte + if is_begun { ESCAPE } else { SEQUENCE }
    }

    /// Ends a sequence that does not go on.
    fn give_up(&mut self) {
        let key = match std::mem::replace(&mut self.state, State::Ground) {
            State::Escape(bytes) => match bytes.as_slice() {
                [] => Some(Key::Esc),
                [byte] => Some(Key::Alt(char::from(*byte))),
                _ => None,
            },
            State::Reply { start, .. } => start.map(|byte| Key::Alt(char::from(byte))),
            State::Ground | State::Paste(_) => None,
        };
        self.settle(false);
        self.decoded.extend(key.map(Input::Key));
    }
}

/// The key of Alt and a byte; `None` if the escape character was a key of its own.
fn alt(byte: u8) -> Option<Sequence> {
    let key = match byte {
        b'\r' | b'\n' => Key::Newline,
        0x7f | 0x08 => Key::DeleteWordLeft,
        b'b' => Key::WordLeft,
        b'f' => Key::WordRight,
        b'd' => Key::DeleteWordRight,
        0x20..=0x7e => Key::Alt(char::from(byte)),
        _ => return None,
    };
    Some(Sequence::Input(Input::Key(key)))
}

/// The number of bytes before a character of which the end is missing.
fn complete_characters(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    let lead = (tail..bytes.len())
        .rev()
        .find(|&at| bytes[at] & 0xc0 != 0x80);
    match lead {
        Some(at) => {
            let needed = match bytes[at] {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xff => 4,
                _ => 1,
            };
            if at + needed > bytes.len() {
                at
            } else {
                bytes.len()
            }
        }
        None => bytes.len(),
    }
}

#[cfg(test)]
mod tests;
