//! One line of the file.

use scorel_proto::{ClientId, CommandId};
use serde::{Deserialize, Serialize};

use super::effect::{Effect, HostMethod, Subject};

/// What stands between the bytes that the checksum covers and the checksum.
const BEFORE_CRC: &[u8] = b",\"crc\":\"";

/// A client's name for a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Key {
    /// Who sent it.
    pub(crate) client_id: ClientId,
    /// The client's name for it.
    pub(crate) command_id: CommandId,
}

/// What became of a command. The last line about a command counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub(super) enum Line {
    /// The effect is about to happen.
    Begun(Receipt<Effect>),
    /// The effect is there.
    Done(Receipt<Outcome>),
    /// There is no effect.
    Abandoned(Key),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt<T> {
    #[serde(flatten)]
    pub(super) key: Key,
    /// The SHA-256 of the method and its parameters, in hexadecimal.
    pub(super) digest: String,
    /// When the command came, in milliseconds since 1970.
    pub(super) ts: u64,
    #[serde(flatten)]
    pub(super) what: T,
}

/// What is remembered of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) method: HostMethod,
    #[serde(flatten)]
    pub(super) subject: Subject,
}

/// Why bytes are not a line.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidLine {
    #[error("the checksum is wrong")]
    Checksum,
    #[error("it is not understood: {0}")]
    Content(#[from] serde_json::Error),
}

impl Line {
    /// The line as it is written, with its newline. It is sealed like a line of a session's log.
    pub(super) fn seal(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.pop();
        let crc = crc32c::crc32c(&bytes);
        bytes.extend_from_slice(BEFORE_CRC);
        bytes.extend_from_slice(format!("{crc:08x}\"}}\n").as_bytes());
        Ok(bytes)
    }

    /// Reads a line, given without its newline.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, InvalidLine> {
        let at = bytes.len().saturating_sub(BEFORE_CRC.len() + 10);
        let (covered, trailer) = bytes.split_at(at);
        let crc = format!("{:08x}\"}}", crc32c::crc32c(covered));
        if trailer.strip_prefix(BEFORE_CRC) != Some(crc.as_bytes()) {
            return Err(InvalidLine::Checksum);
        }
        Ok(serde_json::from_slice(bytes)?)
    }
}
