//! The keys of escape sequences.

use super::input::{Input, Key};

/// A complete escape sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sequence {
    Input(Input),
    PasteBegins,
    PasteEnds,
    /// The answer to the question for the terminal's state, `CSI 5 n`.
    Answer,
    /// A reply to something else, or a key that means nothing here.
    Nothing,
}

/// The meaning of `CSI`, parameters and a final byte.
pub(super) fn control(parameters: &str, last: u8) -> Sequence {
    let numbers = Numbers::of(parameters);
    let modifiers = numbers.modifiers();
    let key = match (last, parameters) {
        (b'n', "0") => return Sequence::Answer,
        (b'I', "") => return Sequence::Input(Input::Focus(true)),
        (b'O', "") => return Sequence::Input(Input::Focus(false)),
        (b'~', "200") => return Sequence::PasteBegins,
        (b'~', "201") => return Sequence::PasteEnds,
        (b'u', _) => numbers
            .first
            .and_then(|code| with_modifiers(code, modifiers)),
        (b'~', _) if numbers.first == Some(27) => numbers
            .third
            .and_then(|code| with_modifiers(code, modifiers)),
        (b'~', _) => numbered(numbers.first, modifiers),
        (b'Z', _) => Some(Key::BackTab),
        // `CSI R` with numbers is the reply about the cursor's position.
        _ => arrow(last, modifiers),
    };
    key.map_or(Sequence::Nothing, |key| Sequence::Input(Input::Key(key)))
}

/// The meaning of `SS3` and a byte.
pub(super) fn single_shift(last: u8) -> Sequence {
    let key = match last {
        b'M' => Some(Key::Enter),
        _ => arrow(last, Modifiers::default()),
    };
    key.map_or(Sequence::Nothing, |key| Sequence::Input(Input::Key(key)))
}

/// The key of a control character.
pub(super) fn control_character(byte: u8) -> Option<Key> {
    match byte {
        b'\r' => Some(Key::Enter),
        b'\n' => Some(Key::Newline),
        b'\t' => Some(Key::Tab),
        0x08 | 0x7f => Some(Key::Backspace),
        0x01..=0x1a => Some(Key::Ctrl(char::from(byte - 1 + b'a'))),
        0x1c..=0x1f => Some(Key::Ctrl(char::from(byte - 0x1c + b'\\'))),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Modifiers {
    shift: bool,
    alt: bool,
    ctrl: bool,
}

impl Modifiers {
    /// Moves by words with Ctrl or Alt.
    const fn is_word(self) -> bool {
        self.alt || self.ctrl
    }
}

#[derive(Debug, Default)]
struct Numbers {
    first: Option<u32>,
    second: Option<u32>,
    third: Option<u32>,
}

impl Numbers {
    /// The parameters; none of a sequence with private ones, which are replies.
    fn of(parameters: &str) -> Self {
        let mut numbers = parameters
            .split(';')
            .map(|it| it.split(':').next()?.parse().ok());
        let mut next = || numbers.next().flatten();
        Self {
            first: next(),
            second: next(),
            third: next(),
        }
    }

    fn modifiers(&self) -> Modifiers {
        let bits = self.second.unwrap_or(1).saturating_sub(1);
        Modifiers {
            shift: bits & 1 != 0,
            alt: bits & 2 != 0,
            ctrl: bits & 4 != 0,
        }
    }
}

fn arrow(last: u8, modifiers: Modifiers) -> Option<Key> {
    Some(match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' if modifiers.is_word() => Key::WordRight,
        b'C' => Key::Right,
        b'D' if modifiers.is_word() => Key::WordLeft,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        _ => return None,
    })
}

fn numbered(number: Option<u32>, modifiers: Modifiers) -> Option<Key> {
    Some(match number? {
        1 | 7 => Key::Home,
        4 | 8 => Key::End,
        3 if modifiers.is_word() => Key::DeleteWordRight,
        3 => Key::Delete,
        5 => Key::PageUp,
        6 => Key::PageDown,
        _ => return None,
    })
}

/// A key as terminals write it that tell modifiers apart.
fn with_modifiers(code: u32, modifiers: Modifiers) -> Option<Key> {
    let char = char::from_u32(code)?;
    let is_plain = !modifiers.is_word();
    Some(match char {
        '\r' | '\u{e046}' if is_plain && !modifiers.shift => Key::Enter,
        '\r' | '\u{e046}' => Key::Newline,
        '\t' if modifiers.shift => Key::BackTab,
        '\t' => Key::Tab,
        '\x1b' => Key::Esc,
        '\x7f' | '\x08' if is_plain => Key::Backspace,
        '\x7f' | '\x08' => Key::DeleteWordLeft,
        'j' | 'J' if modifiers.ctrl => Key::Newline,
        'h' | 'H' if modifiers.ctrl => Key::Backspace,
        // Functional keys, of which only the digits of the number pad are text.
        '\u{e037}'..='\u{e040}' => Key::Char(char::from_digit(code - 0xe037, 10)?),
        '\u{e000}'..='\u{f8ff}' => return None,
        _ if char.is_control() => return None,
        _ if modifiers.ctrl => Key::Ctrl(char.to_ascii_lowercase()),
        _ if modifiers.alt => Key::Alt(char),
        _ if modifiers.shift => Key::Char(char.to_uppercase().next().unwrap_or(char)),
        _ => Key::Char(char),
    })
}
