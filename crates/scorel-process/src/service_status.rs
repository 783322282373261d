use std::time::Duration;

use scorel_proto::ProcessState;

/// The known facts about a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceStatus {
    pub state: ProcessState,
    /// Why it does not run, after a failure.
    pub reason: Option<String>,
    /// The time until the next start.
    pub starts_in: Option<Duration>,
    /// The number of its starts.
    pub starts: u64,
}
