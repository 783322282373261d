//! Hashes of file contents.

use std::fmt;

use scorel_proto::BlobHash;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a file's bytes. Displayed as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ContentHash([u8; 32]);

impl ContentHash {
    pub(crate) fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// The hash as records have it.
    pub(crate) fn to_blob_hash(self) -> BlobHash {
        let digits = self.to_string().parse();
        digits.expect("it displays as 64 hexadecimal digits")
    }

    pub(crate) fn finish(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
