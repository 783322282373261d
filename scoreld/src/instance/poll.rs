use std::time::Duration;

const FIRST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_millis(200);

/// The pauses between looks at the lock, without an end: no single wait covers the lock's release
/// and what its holder says. They double up to a limit.
pub(super) fn pauses() -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(FIRST), |pause| Some((*pause * 2).min(LONGEST)))
}
