use scorel_proto::{Channel, ChannelKind, CronChannel, CronFire, OutcomeReason, SessionId};

use super::CronEntry;
use crate::channels_file::CronState;

/// A schedule with what has come of it.
#[derive(Debug, Clone)]
pub struct CronReport {
    pub entry: CronEntry,
    /// When it is due next, in milliseconds since 1970; `None` if schedules are not enabled.
    pub next_due: Option<u64>,
    pub last: Option<CronFire>,
    /// True if schedules are enabled.
    pub is_enabled: bool,
}

impl CronReport {
    pub(super) fn new(entry: CronEntry, state: CronState, now: u64, is_enabled: bool) -> Self {
        let next_due = is_enabled.then(|| entry.next_due(&state, now)).flatten();
        Self {
            entry,
            next_due,
            last: state.last,
            is_enabled,
        }
    }

    /// The session that got its last message.
    pub fn session_id(&self) -> Option<SessionId> {
        self.last.as_ref()?.session_id
    }

    /// The schedule as clients see it, with how the last turn of its session has ended.
    pub fn channel(mut self, outcome: Option<OutcomeReason>) -> Channel {
        if let Some(last) = &mut self.last {
            last.outcome = outcome;
        }
        let entry = self.entry;
        Channel {
            name: entry.name.to_string(),
            kind: ChannelKind::Cron,
            enabled: self.is_enabled,
            extension: None,
            cron: Some(CronChannel {
                schedule: entry.schedule.as_str().to_owned(),
                timezone: entry.zone.to_string(),
                project: entry.project.display().to_string(),
                mode: entry.mode,
                next_due: self.next_due,
                last: self.last,
            }),
        }
    }
}
