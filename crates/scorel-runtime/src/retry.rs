use std::time::Duration;

use rand::Rng;

use crate::ProviderError;

/// When failed model calls are retried: only while nothing was published, so that clients never see a
/// text twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The first attempt included.
    pub max_attempts: u32,
    /// The upper bound of the first random delay; it doubles with each attempt.
    pub base_delay: Duration,
    /// The largest bound of a random delay. A longer `Retry-After` is announced as `turn_waiting`.
    pub max_delay: Duration,
    /// The longest `Retry-After` that is honoured; beyond it the call fails.
    pub max_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 6,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(60),
            max_wait: Duration::from_secs(6 * 60 * 60),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    After(Duration),
    /// Announce the wait, then retry.
    Wait(Duration),
    No,
}

impl RetryPolicy {
    /// Decides after attempt `attempt`, from 1, failed without having published anything.
    pub(crate) fn decide(&self, attempt: u32, error: &ProviderError) -> Retry {
        if !error.retryable || attempt >= self.max_attempts {
            return Retry::No;
        }
        match error.retry_after {
            Some(wait) if wait > self.max_wait => Retry::No,
            Some(wait) if wait > self.max_delay => Retry::Wait(wait),
            // A `Retry-After` of zero gets the backoff too, or a provider could make this a busy loop.
            Some(wait) => Retry::After(wait.max(self.jitter(attempt))),
            None => Retry::After(self.jitter(attempt)),
        }
    }

    /// Full jitter, so that clients that failed together do not retry together.
    fn jitter(&self, attempt: u32) -> Duration {
        let doublings = attempt.saturating_sub(1).min(16);
        let bound = self
            .base_delay
            .saturating_mul(1 << doublings)
            .min(self.max_delay);
        bound.mul_f64(rand::rng().random::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCategory;

    fn error(retryable: bool, retry_after: Option<u64>) -> ProviderError {
        ProviderError {
            category: ErrorCategory::RateLimit,
            retryable,
            retry_after: retry_after.map(Duration::from_secs),
            status: None,
            message: String::new(),
            hint: None,
            usage: None,
        }
    }

    #[test]
    fn the_providers_delay_is_honoured_up_to_a_bound() {
        let policy = RetryPolicy::default();
        let decide = |seconds| policy.decide(1, &error(true, Some(seconds)));
        assert_eq!(decide(7), Retry::After(Duration::from_secs(7)));
        assert_eq!(decide(120), Retry::Wait(Duration::from_secs(120)));
        assert_eq!(decide(1_000_000_000), Retry::No);
    }

    #[test]
    fn attempts_are_bounded_and_final_errors_are_final() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.decide(1, &error(false, None)), Retry::No);
        assert_eq!(
            policy.decide(policy.max_attempts, &error(true, None)),
            Retry::No
        );
    }

    #[test]
    fn delays_spread_over_the_whole_range() {
        let policy = RetryPolicy::default();
        let delays: Vec<Duration> = (0..1000).map(|_| policy.jitter(3)).collect();
        let bound = policy.base_delay * 4;
        assert!(delays.iter().all(|delay| *delay <= bound));
        let below = delays.iter().filter(|delay| **delay < bound / 2).count();
        assert!(
            (400..600).contains(&below),
            "{below} of 1000 in the lower half"
        );
        assert!(policy.jitter(60) <= policy.max_delay);
    }
}
