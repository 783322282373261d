use std::time::Duration;

use jiff::tz::TimeZone;
use scorel_journal::Durability;
use scorel_proto::OnRestart;

use crate::WallClock;

/// Limits and policies of all sessions.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// True if a commit waits for `fdatasync`.
    pub durability: Durability,
    /// The size of a session's ring of recent events, in bytes.
    pub ring_bytes: usize,
    /// The length limit of a queue, in messages.
    pub max_queue: usize,
    /// The size limit of a blob, in bytes.
    pub max_blob: u64,
    /// What recovery does with an interrupted turn, unless the session says otherwise.
    pub on_restart: OnRestart,
    /// How long an unused session stays in memory.
    pub idle_unload: Duration,
    /// How many sessions stay in memory. Above it those that were used longest ago are unloaded, if
    /// they are idle: each holds a file descriptor.
    pub max_loaded: usize,
    /// How long a deleted session can be brought back. Zero: not at all.
    pub trash_keep: Duration,
    pub wall_clock: WallClock,
    /// The time zone of the days that usage is summed up by; `None` for the system's.
    pub time_zone: Option<TimeZone>,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self {
            durability: Durability::Sync,
            ring_bytes: 2 * 1024 * 1024,
            max_queue: 100,
            max_blob: 64 * 1024 * 1024,
            on_restart: OnRestart::Mark,
            idle_unload: Duration::from_secs(300),
            max_loaded: 256,
            trash_keep: Duration::from_secs(7 * 24 * 60 * 60),
            wall_clock: WallClock::default(),
            time_zone: None,
        }
    }
}
