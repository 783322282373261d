use std::time::Duration;

const FIRST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_millis(200);

/// The pauses between looks at the lock, without an end: no single wait covers the lock's release
/// and what its holder says.
#[derive(Debug)]
pub(super) struct Pauses(Duration);

impl Pauses {
    pub(super) const fn new() -> Self {
        Self(FIRST)
    }
}

impl Iterator for Pauses {
    type Item = Duration;

    /// Doubles up to a limit.
    fn next(&mut self) -> Option<Duration> {
        let pause = self.0;
        self.0 = (pause * 2).min(LONGEST);
        Some(pause)
    }
}
