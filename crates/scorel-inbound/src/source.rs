//! The source of a message, as its sender says it.

use scorel_extension::is_short_name;
use scorel_proto::{
    ChannelKind, ChannelSource, ClientId, CommandId, ErrorCode, RpcError, SendMessageParams,
};
use serde_json::json;
use sha2::{Digest, Sha256};

/// The channel of all schedules.
pub const CRON: &str = "cron";

/// Channels of which only the daemon itself sends messages.
const RESERVED: [&str; 2] = [CRON, "webhook"];

/// Bytes of a message's id in its channel.
const MAX_ID: usize = 256;

/// Bytes of `metadata` as JSON.
const MAX_METADATA: usize = 16 * 1024;

/// The sender of a message, as the daemon knows it.
#[derive(Debug, Clone, Copy)]
pub enum ChannelSender<'a> {
    Cron,
    Client,
    /// The program of an extension, with the channels that its manifest declares.
    Extension(&'a [String]),
}

impl ChannelSender<'_> {
    const fn kind(self) -> ChannelKind {
        match self {
            Self::Cron => ChannelKind::Cron,
            Self::Client => ChannelKind::Cli,
            Self::Extension(_) => ChannelKind::Extension,
        }
    }
}

/// Why a message is not taken through a channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedSource {
    #[error("{0}")]
    Invalid(String),
    #[error("`[channels] enabled` does not name `{0}`")]
    Disabled(ChannelKind),
    #[error("only the daemon sends through `{0}`")]
    Reserved(String),
    #[error("an extension sends messages through a channel, which its manifest declares")]
    Undeclared,
}

impl From<RefusedSource> for RpcError {
    fn from(refused: RefusedSource) -> Self {
        let code = match refused {
            RefusedSource::Invalid(_) => ErrorCode::InvalidParams,
            RefusedSource::Disabled(_) | RefusedSource::Reserved(_) | RefusedSource::Undeclared => {
                ErrorCode::Forbidden
            }
        };
        Self::new(code, refused.to_string()).with_details(json!({ "field": "channel" }))
    }
}

/// The author and the command id of a message, by which a session accepts it once. `enabled` are the
/// kinds that may bring any.
///
/// # Errors
/// Its source is not one, or it may not come through this channel.
pub fn accept_source(
    sender: ChannelSender<'_>,
    enabled: &[ChannelKind],
    params: &SendMessageParams,
) -> Result<(ClientId, CommandId), RefusedSource> {
    let invalid = |text: &str| RefusedSource::Invalid(text.to_owned());
    let source = params.channel.as_ref();
    if let ChannelSender::Extension(declared) = sender
        && !source.is_some_and(|it| declared.contains(&it.channel))
    {
        return Err(RefusedSource::Undeclared);
    }
    let source = source.ok_or_else(|| invalid("`channel` is missing"))?;
    check_source(source)?;
    let kind = sender.kind();
    if !enabled.contains(&kind) {
        return Err(RefusedSource::Disabled(kind));
    }
    if kind != ChannelKind::Cron && RESERVED.contains(&&*source.channel) {
        return Err(RefusedSource::Reserved(source.channel.clone()));
    }
    let changes_nothing = params.model.is_none()
        && params.runner.is_none()
        && params.parent_event_id.is_none()
        && params.command_id.is_none();
    if !changes_nothing {
        let text =
            "with `channel`, no `model`, `runner`, `parentEventId` and `commandId` are taken";
        return Err(invalid(text));
    }
    let id = command_id(&source.channel, &source.external_id);
    Ok((author(&source.channel), id))
}

fn check_source(source: &ChannelSource) -> Result<(), RefusedSource> {
    let invalid = |text: String| Err(RefusedSource::Invalid(text));
    if !is_short_name(&source.channel) {
        return invalid(
            "a channel has small letters, digits and `-`, begins with a letter, and has at most 32 characters"
                .to_owned(),
        );
    }
    let id = &source.external_id;
    // A line of it may not seem to be one of ours, where people and models read it.
    if id.is_empty() || id.len() > MAX_ID || id.chars().any(char::is_control) {
        return invalid(format!(
            "`externalId` has 1 to {MAX_ID} bytes, without control characters"
        ));
    }
    let metadata = source.metadata.as_ref();
    if metadata.is_some_and(|it| it.to_string().len() > MAX_METADATA) {
        return invalid(format!(
            "`metadata` is longer than {MAX_METADATA} bytes of JSON"
        ));
    }
    Ok(())
}

/// The author of a channel's messages, whoever brings them: one that is brought by two programs is accepted once too.
pub fn author(channel: &str) -> ClientId {
    let digest = Sha256::digest(format!("channel:{channel}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    ClientId::Client(bytes)
}

/// The command id of a message, by which a session accepts it once.
pub(crate) fn command_id(channel: &str, external_id: &str) -> CommandId {
    let mut hasher = Sha256::new();
    hasher.update(channel);
    hasher.update([0]);
    hasher.update(external_id);
    let digest = format!("{:x}", hasher.finalize());
    digest.parse().expect("64 digits are a command id")
}

#[cfg(test)]
mod tests {
    use scorel_proto::PermissionMode;
    use serde_json::json;

    use super::*;

    fn source(channel: &str, external_id: &str) -> ChannelSource {
        ChannelSource {
            channel: channel.to_owned(),
            external_id: external_id.to_owned(),
            metadata: None,
            mode: PermissionMode::Readonly,
        }
    }

    #[test]
    fn a_source_is_one_line_of_a_bounded_size() {
        assert_eq!(check_source(&source("chat", "42/é")), Ok(()));
        let long = "x".repeat(257);
        for (channel, id) in [
            ("", "1"),
            ("Chat", "1"),
            ("chat", ""),
            ("chat", "1\n2"),
            ("chat", &long),
        ] {
            assert!(
                check_source(&source(channel, id)).is_err(),
                "{channel:?} {id:?}"
            );
        }
        let large = ChannelSource {
            metadata: Some(json!("x".repeat(MAX_METADATA))),
            ..source("chat", "1")
        };
        assert!(check_source(&large).is_err());
    }

    #[test]
    fn an_id_counts_in_its_channel_only() {
        assert_eq!(command_id("a", "1"), command_id("a", "1"));
        assert_ne!(command_id("a", "1"), command_id("b", "1"));
        assert_ne!(command_id("a", "b1"), command_id("ab", "1"));
        assert_ne!(author("a"), author("b"));
    }
}
