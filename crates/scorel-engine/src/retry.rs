use std::time::Duration;

use rand::Rng;

use crate::{ErrorCategory, ProviderError};

/// When failed model calls are retried: only while nothing was published, so that clients never see a
/// text twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The first attempt included.
    pub max_attempts: u32,
    /// The upper bound of the first random delay; it doubles with each attempt.
    pub base_delay: Duration,
    /// The largest bound of a random delay. For a longer `Retry-After` the turn is suspended.
    pub max_delay: Duration,
    /// The longest `Retry-After` that is waited for; beyond it the call fails.
    pub max_wait: Duration,
    /// How often a turn is suspended.
    pub max_waits: u32,
    /// The upper bound of the random part of such a wait: the sessions of an account hit its limit
    /// together, and would all call again at the same moment.
    pub wait_jitter: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 6,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(60),
            max_wait: Duration::from_secs(6 * 60 * 60),
            max_waits: 20,
            wait_jitter: Duration::from_secs(30),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    After(Duration),
    /// Suspend the turn.
    Wait(Duration),
    No,
}

impl RetryPolicy {
    /// Decides after attempt `attempt`, from 1, failed without having published anything, in a turn
    /// that was suspended `waits` times.
    pub(crate) fn decide(&self, attempt: u32, waits: u32, error: &ProviderError) -> Retry {
        let wait = error.retry_after.filter(|wait| *wait > self.max_delay);
        // Some endpoints advise against a retry of a rate limit because it is hours away.
        let is_long_limit = wait.is_some() && error.category == ErrorCategory::RateLimit;
        if !error.retryable && !is_long_limit {
            return Retry::No;
        }
        if let Some(wait) = wait {
            if wait > self.max_wait || waits >= self.max_waits {
                return Retry::No;
            }
            let jitter = self.wait_jitter.mul_f64(rand::rng().random::<f64>());
            return Retry::Wait(wait + jitter);
        }
        if attempt >= self.max_attempts {
            return Retry::No;
        }
        // A `Retry-After` of zero gets the backoff too, or a provider could make this a busy loop.
        let advised = error.retry_after.unwrap_or_default();
        Retry::After(advised.max(self.jitter(attempt)))
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
        let policy = RetryPolicy {
            wait_jitter: Duration::ZERO,
            ..RetryPolicy::default()
        };
        let decide = |seconds| policy.decide(1, 0, &error(true, Some(seconds)));
        assert_eq!(decide(7), Retry::After(Duration::from_secs(7)));
        assert_eq!(decide(60), Retry::After(Duration::from_secs(60)));
        assert_eq!(decide(61), Retry::Wait(Duration::from_secs(61)));
        assert_eq!(decide(21_600), Retry::Wait(Duration::from_secs(21_600)));
        assert_eq!(decide(21_601), Retry::No);
        assert_eq!(decide(1_000_000_000), Retry::No);
    }

    #[test]
    fn waits_are_bounded_in_number_and_spread() {
        let policy = RetryPolicy::default();
        let wait = |waits| policy.decide(9, waits, &error(true, Some(120)));
        assert_eq!(wait(20), Retry::No);
        let mut waits = Vec::new();
        for _ in 0..1000 {
            let Retry::Wait(duration) = wait(19) else {
                panic!("no wait")
            };
            waits.push(duration.as_secs_f64() - 120.0);
        }
        assert!(waits.iter().all(|extra| (0.0..=30.0).contains(extra)));
        let below = waits.iter().filter(|extra| **extra < 15.0).count();
        assert!((400..600).contains(&below), "{below} of 1000");
    }

    #[test]
    fn a_rate_limit_that_is_hours_away_is_waited_for_whatever_the_advice() {
        let policy = RetryPolicy::default();
        let far = error(false, Some(18_000));
        assert!(matches!(policy.decide(1, 0, &far), Retry::Wait(_)));
        let other = ProviderError {
            category: ErrorCategory::Quota,
            ..far
        };
        assert_eq!(policy.decide(1, 0, &other), Retry::No);
    }

    #[test]
    fn attempts_are_bounded_and_final_errors_are_final() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.decide(1, 0, &error(false, None)), Retry::No);
        assert_eq!(
            policy.decide(policy.max_attempts, 0, &error(true, None)),
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
