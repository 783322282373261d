use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Bytes of a program that are read in a second, beyond a [`BURST`].
const RATE: u32 = 16 * 1024 * 1024;

/// The time whose bytes are read at once after a quiet moment: a MiB.
const BURST: Duration = Duration::from_micros(62_500);

/// Holds up a program that writes without end, which otherwise takes a processor from all sessions.
#[derive(Debug)]
pub(crate) struct OutputPace {
    /// The time at which the bytes read so far would have come at the [`RATE`].
    due: Instant,
}

impl OutputPace {
    pub(crate) fn new() -> Self {
        Self {
            due: Instant::now(),
        }
    }

    /// Counts what was read. Returns until when to wait if that is ahead of the pace.
    pub(crate) fn count(&mut self, bytes: usize) -> Option<Instant> {
        let now = Instant::now();
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.due = self.due.max(now) + Duration::from_secs(1) * bytes / RATE;
        (self.due > now + BURST).then(|| self.due - BURST)
    }

    /// Waits as long as what was read is ahead of the pace.
    pub(crate) async fn took(&mut self, bytes: usize) {
        if let Some(until) = self.count(bytes) {
            sleep_until(until).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_held_up_and_a_large_text_is_not() {
        let began = Instant::now();
        let mut pace = OutputPace::new();
        pace.took(1024 * 1024).await;
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..64 {
            pace.took(RATE as usize / 32).await;
        }
        let took = began.elapsed().as_millis();
        assert!((1_900..2_100).contains(&took), "{took} ms");
        tokio::time::advance(Duration::from_secs(1)).await;
        let quiet = Instant::now();
        pace.took(1024 * 1024).await;
        assert_eq!(quiet.elapsed(), Duration::ZERO);
    }
}
