//! JSON of a transcript, which anybody may have written.

use serde_json::Value;

/// The most values in a line, or in a text of it that is JSON itself. Those of conversations have thousands
/// at most. As a tree, the two bytes `0,` take 40 times as much memory.
pub(super) const MAX_VALUES: usize = 1 << 16;

/// The reason why a text is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    NotJson,
    TooManyValues,
}

pub(super) fn parse(text: &[u8]) -> Result<Value, Unreadable> {
    if has_too_many_values(text) {
        return Err(Unreadable::TooManyValues);
    }
    // A stray byte in a text costs a character, not the line.
    let text = String::from_utf8_lossy(text);
    serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(&without_halves(&text)))
        .map_err(|_| Unreadable::NotJson)
}

/// Half of a character that JSON writes as two escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

impl Half {
    /// The one that a text begins with.
    fn of(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        match u16::from_str_radix(digits, 16).ok()? {
            0xd800..=0xdbff => Some(Self::First),
            0xdc00..=0xdfff => Some(Self::Second),
            _ => None,
        }
    }
}

/// The text with U+FFFD in the place of each escape that is half a character only. Programs that cut texts
/// without regard to characters write such escapes.
fn without_halves(text: &str) -> String {
    const ESCAPE: usize = "\\ud83d".len();
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let length = match Half::of(escape) {
            Some(Half::First) if Half::of(&escape[ESCAPE..]) == Some(Half::Second) => 2 * ESCAPE,
            Some(_) => {
                whole.push_str("\\ufffd");
                rest = &escape[ESCAPE..];
                continue;
            }
            // The backslash and what it escapes.
            None => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        let (kept, after) = escape.split_at(length);
        whole.push_str(kept);
        rest = after;
    }
    whole + rest
}

/// Counts what begins a value, give or take empty containers.
fn has_too_many_values(text: &[u8]) -> bool {
    let mut in_string = false;
    let mut is_escaped = false;
    let begins = text.iter().filter(|byte| {
        if **byte == b'"' && !is_escaped {
            in_string = !in_string;
        }
        is_escaped = **byte == b'\\' && !is_escaped;
        !in_string && matches!(byte, b',' | b'[' | b'{')
    });
    begins.take(MAX_VALUES + 1).count() > MAX_VALUES
}
