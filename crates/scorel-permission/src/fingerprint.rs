//! What exactly a person was asked about.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Action, Place};

/// Identifies what a person was asked about: the exact command and its directory, the file and what is
/// to be written, the address. An answer holds for actions with the same fingerprint only.
///
/// It is the SHA-256 of a form that does not change between versions, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of `action` in a project. `content` is what decides beside the action itself:
    /// the bytes to be written, the standard input or the environment of a command; empty if nothing.
    ///
    /// Spellings of the same path count as the same; the command and the address count byte by byte.
    #[must_use]
    pub fn of(action: &Action, content: &[u8], place: &Place) -> Self {
        let mut hash = Sha256::new();
        field(&mut hash, b"scorel-permission/1");
        path(&mut hash, place.project());
        match action {
            Action::Read { path: file } => {
                field(&mut hash, b"read");
                path(&mut hash, &place.resolve(file));
            }
            Action::Write { path: file } => {
                field(&mut hash, b"write");
                path(&mut hash, &place.resolve(file));
            }
            Action::Run { command, directory } => {
                field(&mut hash, b"run");
                field(&mut hash, command.as_bytes());
                path(&mut hash, &place.resolve(directory));
            }
            Action::Fetch { url } => {
                field(&mut hash, b"fetch");
                field(&mut hash, url.as_bytes());
            }
        }
        field(&mut hash, content);
        Self(hash.finalize().into())
    }
}

/// Adds the field with its length, so that no two lists of fields give the same bytes.
fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

fn path(hash: &mut Sha256, path: &Path) {
    field(hash, path.as_os_str().as_bytes());
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The text is not 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint has 64 hexadecimal digits in lower case")]
pub struct FingerprintError;

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(FingerprintError),
        };
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(FingerprintError);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = FingerprintError;

    fn try_from(text: String) -> Result<Self, FingerprintError> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}
