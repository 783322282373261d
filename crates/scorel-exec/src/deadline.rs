//! Deadlines as timeouts of `poll`.

use std::time::{Duration, Instant};

use nix::poll::PollTimeout;

/// The time left until `deadline`; without one, no timeout.
pub(crate) fn poll_timeout(deadline: Option<Instant>) -> PollTimeout {
    let Some(deadline) = deadline else {
        return PollTimeout::NONE;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    // Rounded up: with less than a millisecond left, `poll` would return at once, again and again.
    let rounded = left.saturating_add(Duration::from_micros(999));
    PollTimeout::try_from(rounded).unwrap_or(PollTimeout::MAX)
}
