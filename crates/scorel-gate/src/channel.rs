use scorel_permission::Mode;
use scorel_proto::{MessageChannel, PermissionMode};

/// A channel, whose turn no person has started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateChannel {
    /// Its source in words, for people.
    pub label: String,
    /// True if it allows less than the configured mode, which agents have in their own sessions.
    pub lowers: bool,
}

impl GateChannel {
    pub fn of(channel: &MessageChannel, configured: Mode) -> Self {
        Self {
            label: channel.label(),
            lowers: capped(configured, Some(channel)) < configured,
        }
    }
}

/// The mode of a turn: the configured one, or less if the channel allows less whose message started it.
pub fn capped(configured: Mode, channel: Option<&MessageChannel>) -> Mode {
    let Some(channel) = channel else {
        return configured;
    };
    configured.min(match channel.mode {
        PermissionMode::Readonly => Mode::Readonly,
        PermissionMode::Ask => Mode::Ask,
        PermissionMode::Workspace => Mode::Workspace,
        PermissionMode::Full => Mode::Full,
    })
}
