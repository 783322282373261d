//! Methods about channels, through which messages come that no person types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ChannelKind, CronFireState, OutcomeReason, PermissionMode, ProjectId, SendMessageResult,
    SessionId,
};

/// Parameters of `listChannels`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListChannelsParams {
    /// Also those of this project's extensions.
    pub project_id: Option<ProjectId>,
}

/// Result of `listChannels`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListChannelsResult {
    /// The schedules of the configuration, in its order, then the channels of extensions.
    pub channels: Vec<Channel>,
}

/// A channel.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// Its name: that of the schedule, or the channel that an extension declares.
    pub name: String,
    /// The kind of its sender.
    pub kind: ChannelKind,
    /// False if `[channels] enabled` does not name its kind: it sends nothing.
    pub enabled: bool,
    /// The extension that sends its messages.
    pub extension: Option<String>,
    /// The schedule.
    pub cron: Option<CronChannel>,
}

/// A schedule, with its last time.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronChannel {
    /// The five fields of the schedule, or a name such as `@daily`.
    pub schedule: String,
    /// The time zone by which it is read.
    pub timezone: String,
    /// The directory of the project.
    pub project: String,
    /// The most that its turns may do.
    pub mode: PermissionMode,
    /// When it is due next, in milliseconds since 1970; absent if it is not enabled.
    pub next_due: Option<u64>,
    /// Its last time; absent before the first.
    pub last: Option<CronFire>,
}

/// A time at which a schedule was due, and what came of it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronFire {
    /// When it was, in milliseconds since 1970.
    pub at: u64,
    /// The id of the message.
    pub external_id: String,
    /// Its end.
    pub state: CronFireState,
    /// The session that got the message, or was to get it.
    pub session_id: Option<SessionId>,
    /// Why no message was sent.
    pub problem: Option<String>,
    /// The end of that session's last turn; absent if none has, or the session is gone.
    pub outcome: Option<OutcomeReason>,
}

/// Parameters of `fireChannel`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FireChannelParams {
    /// The name of a schedule of the configuration.
    pub name: String,
    /// The part of the message's id behind the name, at most 64 letters, digits, `.`, `_`, `:` and `-`: a call that
    /// repeats it sends nothing again. Absent: the time.
    pub fire_id: Option<String>,
}

/// Result of `fireChannel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FireChannelResult {
    /// The session that got the message.
    pub session_id: SessionId,
    /// The answer of that session.
    pub message: SendMessageResult,
}
