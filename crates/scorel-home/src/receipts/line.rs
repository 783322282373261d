use std::io;

use scorel_journal::{check_line, seal_line};
use scorel_proto::{ClientId, CommandId};
use serde::{Deserialize, Serialize};

use super::effect::{Effect, HostMethod, Subject};

/// Identifies a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandKey {
    pub client_id: ClientId,
    pub command_id: CommandId,
}

/// One line of the file, without its checksum. The last line about a command counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
#[expect(
    clippy::large_enum_variant,
    reason = "each is written or applied at once, and none is kept"
)]
pub(super) enum ReceiptLine {
    /// Durable before the effect.
    Begun(HostReceipt<Effect>),
    Done(HostReceipt<HostOutcome>),
    Abandoned(CommandKey),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HostReceipt<T> {
    #[serde(flatten)]
    pub key: CommandKey,
    /// The SHA-256 of the method and its parameters, in hexadecimal.
    pub digest: String,
    /// When the command arrived, in milliseconds since 1970.
    pub ts: u64,
    #[serde(flatten)]
    pub what: T,
}

/// The method and the subject of a command that took effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HostOutcome {
    pub method: HostMethod,
    #[serde(flatten)]
    pub subject: Subject,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidLine {
    #[error("the checksum is wrong")]
    Checksum,
    #[error("{0}")]
    Content(#[from] serde_json::Error),
}

impl ReceiptLine {
    /// The line as it is written, with the checksum of a log's line and its newline.
    pub(super) fn seal(&self) -> io::Result<Vec<u8>> {
        seal_line(serde_json::to_vec(self)?).map_err(io::Error::other)
    }

    /// Reads a line, given without its newline.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, InvalidLine> {
        check_line(bytes).map_err(|_| InvalidLine::Checksum)?;
        Ok(serde_json::from_slice(bytes)?)
    }
}
