use std::time::Duration;

/// `[checkpoints]`: the limits of the kept contents of changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointLimits {
    /// The size of a file above which its content is not kept, in bytes.
    pub max_file_bytes: u64,
    /// The bytes that one session keeps. Above it the oldest contents go.
    pub max_bytes: u64,
    /// The time that a content is kept after it was last recorded.
    pub keep: Duration,
}

impl Default for CheckpointLimits {
    fn default() -> Self {
        Self {
            max_file_bytes: 8 * 1024 * 1024,
            max_bytes: 512 * 1024 * 1024,
            keep: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}
