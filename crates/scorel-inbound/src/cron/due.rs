use std::time::Duration;

use super::{CatchUp, CronEntry};
use crate::channels_file::CronState;

/// From then on a time counts as missed. Until then it is only late, by a slow disk or a daemon that starts.
const LATE: Duration = Duration::from_secs(120);

/// A clock that is set back further than this was wrong before. Then the schedule goes on from now, instead of being
/// silent until that time comes again.
const MAX_SET_BACK: Duration = Duration::from_secs(25 * 3600);

/// A time at which a schedule was due and for which nothing was done yet: the last of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DueTime {
    pub(super) at: u64,
    /// True if nothing is to be sent for it.
    pub(super) is_left_out: bool,
}

impl CronEntry {
    /// The state of a schedule that has begun by now.
    pub(super) fn begun(&self, known: Option<&CronState>, now: u64) -> CronState {
        match known {
            Some(known) if known.done_until <= now.saturating_add(millis(MAX_SET_BACK)) => {
                known.clone()
            }
            Some(known) => CronState {
                done_until: now,
                ..known.clone()
            },
            None => CronState {
                done_until: now,
                ..CronState::default()
            },
        }
    }

    /// The time that is to be handled at `now`. A clock that was set back leaves nothing to do until it has come as far again.
    pub(super) fn due(&self, state: &CronState, now: u64) -> Option<DueTime> {
        let latest = self.schedule.latest(now, &self.zone.zone());
        let at = latest.filter(|at| *at > state.done_until)?;
        let is_missed = now - at > millis(LATE);
        Some(DueTime {
            at,
            is_left_out: is_missed && self.catch_up == CatchUp::None,
        })
    }

    /// When it is due next.
    pub(super) fn next_due(&self, state: &CronState, now: u64) -> Option<u64> {
        let after = now.max(state.done_until);
        self.schedule.next(after, &self.zone.zone())
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
