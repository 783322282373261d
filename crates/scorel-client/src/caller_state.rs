use tokio::time::Instant;

/// The state of a [`crate::Caller`]'s connection, for a status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerState {
    /// Nothing is known to be wrong. A lost connection shows with the next call.
    Connected,
    /// A call found the connection lost, and no new one is there yet.
    Reconnecting {
        /// The time when the loss showed.
        since: Instant,
        /// The number of the attempt that comes or runs, from 1.
        attempt: u32,
    },
}
