use std::time::Instant;

/// A command's stages on its way to the end; it only moves down this list.
#[derive(Debug, Clone, Copy)]
pub(super) enum RunPhase {
    /// The command is prepared and waits for the daemon's word.
    Held,
    /// The shell runs; `until` is its time limit.
    Running { until: Option<Instant> },
    /// The shell has ended; other processes may still run until then.
    Lingering { until: Instant },
    /// All processes got SIGTERM.
    Terminating { until: Instant },
    /// All processes get SIGKILL, repeatedly.
    Killing { until: Instant },
}

/// A command's way to its start, which waits for its mounts even if the daemon has given its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandStart {
    Preparing,
    /// A process that has the mounts waits for the supervisor's word.
    Prepared,
    Done,
}
