use std::collections::BTreeMap;

use scorel_home::{CHANNELS, FormatVersion, StateBody, StateKind};
use scorel_proto::{CronFire, SessionId};
use serde::{Deserialize, Serialize};

/// `channels.json`: what has come of each schedule.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ChannelsFile {
    version: FormatVersion<1>,
    /// By the names of schedules.
    pub(crate) cron: BTreeMap<String, CronState>,
}

/// The past of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CronState {
    /// All that was due until then is done, in milliseconds since 1970.
    pub(crate) done_until: u64,
    /// The session that got the last message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session_id: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<CronFire>,
}

impl StateBody for ChannelsFile {
    const KIND: &'static StateKind = &CHANNELS;
}
