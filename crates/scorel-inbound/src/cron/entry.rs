use std::path::PathBuf;

use jiff::Timestamp;
use scorel_proto::PermissionMode;
use serde::Deserialize;

use super::{CronSchedule, CronZone};
use crate::ChannelName;

/// One of `[[channels.cron]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronEntry {
    /// Unique in the configuration.
    pub name: ChannelName,
    pub schedule: CronSchedule,
    pub zone: CronZone,
    /// The directory of the project, absolute.
    pub project: PathBuf,
    pub session: CronSession,
    /// The message. Not empty.
    pub prompt: String,
    pub catch_up: CatchUp,
    pub overlap: Overlap,
    pub mode: PermissionMode,
}

impl CronEntry {
    /// The id of the message that is due then.
    pub(crate) fn external_id(&self, due: u64) -> String {
        format!("{}@{}", self.name, time_text(due))
    }
}

/// The session that gets the message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CronSession {
    /// A new one each time.
    #[default]
    New,
    /// The same each time.
    Fixed,
}

/// The treatment of times that were missed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CatchUp {
    /// One message for all of them.
    #[default]
    One,
    /// They are left out.
    None,
}

/// The treatment of a time at which the session of the last one still works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Overlap {
    /// It is left out.
    #[default]
    Skip,
    /// The message waits in a fixed session, and in a new one it runs beside.
    Queue,
}

/// A time as it is in ids.
pub(super) fn time_text(ms: u64) -> String {
    let time = i64::try_from(ms).map(Timestamp::from_millisecond);
    match time {
        Ok(Ok(time)) => time.to_string(),
        _ => ms.to_string(),
    }
}
