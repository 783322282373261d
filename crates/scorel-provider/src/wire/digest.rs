use sha2::{Digest, Sha256};

/// The first `digits` hex digits of a text's SHA-256, at most 64.
pub(crate) fn digest(text: &str, digits: usize) -> String {
    let mut hex = format!("{:x}", Sha256::digest(text));
    hex.truncate(digits);
    hex
}
