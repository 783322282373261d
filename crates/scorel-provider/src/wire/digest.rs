use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The first `digits` hex digits of a text's SHA-256, at most 64.
pub(crate) fn digest(text: &str, digits: usize) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex.truncate(digits);
    hex
}
