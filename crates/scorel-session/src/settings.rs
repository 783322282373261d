use std::time::Duration;

use scorel_journal::Durability;

/// How sessions are kept.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// When a record counts as written.
    pub durability: Durability,
    /// How many bytes of recent events a session keeps in memory.
    pub ring_bytes: usize,
    /// How many messages a session's queue may hold.
    pub max_queue: usize,
    /// How many bytes a blob may have.
    pub max_blob: u64,
    /// Whether a turn that the end of the daemon interrupted goes on, once, instead of ending.
    pub resume_interrupted: bool,
    /// How long an idle session without subscribers stays in memory.
    pub idle_unload: Duration,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self {
            durability: Durability::Sync,
            ring_bytes: 2 * 1024 * 1024,
            max_queue: 100,
            max_blob: 64 * 1024 * 1024,
            resume_interrupted: false,
            idle_unload: Duration::from_secs(300),
        }
    }
}
