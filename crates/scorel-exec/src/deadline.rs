//! Deadlines as timeouts of `poll`.

use std::time::Instant;

use nix::poll::PollTimeout;

/// The time left until `deadline`; without one, no timeout.
pub(crate) fn poll_timeout(deadline: Option<Instant>) -> PollTimeout {
    let Some(deadline) = deadline else {
        return PollTimeout::NONE;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    // Rounded up: with less than a millisecond left, `poll` would return at once, again and again.
    let milliseconds = left.as_micros().div_ceil(1000).min(i32::MAX as u128);
    i32::try_from(milliseconds)
        .ok()
        .and_then(|left| PollTimeout::try_from(left).ok())
        .unwrap_or(PollTimeout::ZERO)
}
