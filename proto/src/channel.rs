//! Where a message comes from that no person has typed into a client.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PermissionMode;

/// The channel that a message comes through, as its sender says.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelSource {
    /// The channel, such as `telegram`: lowercase letters, digits and `-`, at most 32, a letter first. `cron` and
    /// `webhook` are the daemon's own.
    pub channel: String,
    /// The message's id in that channel, at most 256 bytes. A message of the same channel with the same id is
    /// accepted once in a session.
    pub external_id: String,
    /// Further data of the channel, at most 16 KiB of JSON. The model does not get it.
    pub metadata: Option<Value>,
    /// The most that the message's turn may do; the configured mode still counts where it allows less.
    #[serde(default)]
    pub mode: PermissionMode,
}

/// The channel that a message came through. It binds the turn that the message starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageChannel {
    /// The channel.
    pub channel: String,
    /// The message's id in that channel.
    pub external_id: String,
    /// The most that the turn may do.
    #[serde(default)]
    pub mode: PermissionMode,
}

impl MessageChannel {
    /// The message's source in words, for people and models.
    pub fn label(&self) -> String {
        format!("{} ({})", self.channel, self.external_id)
    }
}

impl From<&ChannelSource> for MessageChannel {
    fn from(source: &ChannelSource) -> Self {
        Self {
            channel: source.channel.clone(),
            external_id: source.external_id.clone(),
            mode: source.mode,
        }
    }
}
