//! A cache of derived state that makes opening fast. It may be deleted at any time.
//!
//! The file `checkpoint` holds 8 bytes `scorelcp`, a version (4 bytes), the length of the payload
//! (8 bytes), the CRC-32C of version, length and payload (4 bytes), and the payload. Integers are
//! little-endian.

use std::io;
use std::path::Path;

use crate::storage::Storage;
use crate::{read_bounded, replace_file};

const NAME: &str = "checkpoint";
const MAGIC: &[u8; 8] = b"scorelcp";
const PREFIX: usize = 24;

/// Replaces the checkpoint in `dir`. `version` is that of the payload's format.
///
/// # Errors
///
/// Any I/O error; the old checkpoint, if there was one, stays.
pub fn write_checkpoint(
    storage: &dyn Storage,
    dir: &Path,
    version: u32,
    payload: &[u8],
) -> io::Result<()> {
    let version = version.to_le_bytes();
    let len = (payload.len() as u64).to_le_bytes();
    let crc = checksum(&version, &len, payload).to_le_bytes();
    let content = [MAGIC, &version[..], &len, &crc, payload].concat();
    replace_file(storage, &dir.join(NAME), &content)
}

/// The payload of the checkpoint in `dir`; `None` if it is absent, of another version, damaged,
/// unreadable, or longer than `max` bytes. All of these mean the same to a caller: read the log.
pub fn read_checkpoint(
    storage: &dyn Storage,
    dir: &Path,
    version: u32,
    max: u64,
) -> Option<Vec<u8>> {
    match check_checkpoint(storage, dir, max).ok()? {
        CheckpointState::Intact {
            version: found,
            payload,
        } if found == version => Some(payload),
        CheckpointState::Intact { .. } | CheckpointState::Damaged => None,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointState {
    Intact {
        version: u32,
        payload: Vec<u8>,
    },
    /// Truncated, overwritten, or no checkpoint.
    Damaged,
}

/// Reads and verifies the checkpoint in `dir`, whatever its version.
///
/// # Errors
///
/// `NotFound`, `FileTooLarge` if it is longer than `max` bytes, `InvalidInput` if it is not a regular
/// file, or any other I/O error.
pub fn check_checkpoint(
    storage: &dyn Storage,
    dir: &Path,
    max: u64,
) -> io::Result<CheckpointState> {
    let limit = max.saturating_add(PREFIX as u64);
    let mut content = read_bounded(storage, &dir.join(NAME), limit)?;
    let Some(version) = intact_version(&content) else {
        return Ok(CheckpointState::Damaged);
    };
    content.drain(..PREFIX);
    Ok(CheckpointState::Intact {
        version,
        payload: content,
    })
}

fn intact_version(content: &[u8]) -> Option<u32> {
    let (prefix, payload) = content.split_at_checked(PREFIX)?;
    let (magic, rest) = prefix.split_at(8);
    let (version, rest) = rest.split_at(4);
    let (len, crc) = rest.split_at(8);
    let valid = magic == MAGIC
        && len == (payload.len() as u64).to_le_bytes()
        && crc == checksum(version, len, payload).to_le_bytes();
    let version = u32::from_le_bytes(version.try_into().ok()?);
    valid.then_some(version)
}

fn checksum(version: &[u8], len: &[u8], payload: &[u8]) -> u32 {
    let crc = crc32c::crc32c_append(crc32c::crc32c(version), len);
    crc32c::crc32c_append(crc, payload)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::FileStorage;

    #[test]
    fn a_checkpoint_is_read_back_only_with_its_version() {
        let dir = tempfile::tempdir().expect("a directory");
        let read = |version, max| read_checkpoint(&FileStorage, dir.path(), version, max);
        assert_eq!(read(3, 100), None);
        for payload in [&b""[..], b"state"] {
            write_checkpoint(&FileStorage, dir.path(), 3, payload).expect("writable");
            assert_eq!(read(3, 5).as_deref(), Some(payload));
        }
        assert_eq!(read(4, 100), None, "another version");
        let state = check_checkpoint(&FileStorage, dir.path(), 100).expect("readable");
        let payload = b"state".to_vec();
        assert_eq!(
            state,
            CheckpointState::Intact {
                version: 3,
                payload
            }
        );
        assert_eq!(read(3, 4), None, "too long");
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_noticed() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join(NAME);
        write_checkpoint(&FileStorage, dir.path(), 3, b"state").expect("writable");
        let content = fs::read(&path).expect("readable");
        for bit in 0..content.len() * 8 {
            let mut damaged = content.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).expect("writable");
            assert_eq!(read_checkpoint(&FileStorage, dir.path(), 3, 100), None);
            let state = check_checkpoint(&FileStorage, dir.path(), 100).expect("readable");
            assert_eq!(state, CheckpointState::Damaged);
        }
        for len in 0..content.len() {
            fs::write(&path, &content[..len]).expect("writable");
            assert_eq!(read_checkpoint(&FileStorage, dir.path(), 3, 100), None);
        }
    }
}
