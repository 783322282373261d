use std::time::Duration;

use rand::Rng;

/// Delays between reconnect attempts: uniformly random up to a bound that doubles from 50 ms to 5
/// s. The full jitter spreads the clients of a restarted daemon.
#[derive(Debug, Default)]
pub struct Backoff {
    attempts: u32,
}

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

impl Backoff {
    /// The number of the next attempt, from 1, and the delay before it.
    pub fn pause(&mut self) -> (u32, Duration) {
        let bound = Self::bound(self.attempts);
        self.attempts = self.attempts.saturating_add(1);
        let wait = rand::rng().random_range(Duration::ZERO..=bound);
        (self.attempts, wait)
    }

    /// Starts over after a success.
    pub const fn reset(&mut self) {
        self.attempts = 0;
    }

    fn bound(attempts: u32) -> Duration {
        FIRST.saturating_mul(1 << attempts.min(16)).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_five_seconds_and_start_over_after_a_success() {
        let bounds: Vec<u128> = (0..9).map(|n| Backoff::bound(n).as_millis()).collect();
        assert_eq!(bounds, [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(Backoff::bound(u32::MAX), LONGEST);
        let mut backoff = Backoff::default();
        for attempt in 1..=100 {
            let (number, wait) = backoff.pause();
            assert_eq!(number, attempt);
            assert!(wait <= LONGEST, "{wait:?}");
        }
        backoff.reset();
        let (number, wait) = backoff.pause();
        assert!(number == 1 && wait <= FIRST, "{number} {wait:?}");
    }
}
