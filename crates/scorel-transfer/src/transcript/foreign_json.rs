//! JSON of a transcript, which anybody may have written.

use serde_json::Value;

/// The most values in a line, or in a text of it that is JSON itself. Those of conversations have thousands
/// at most. As a tree, the two bytes `0,` take 40 times as much memory.
pub(super) const MAX_VALUES: usize = 1 << 16;

/// Why a text is not read.
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
    serde_json::from_str(&String::from_utf8_lossy(text)).map_err(|_| Unreadable::NotJson)
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
