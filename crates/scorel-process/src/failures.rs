use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// The wait after the first failure; each further one doubles it.
const FIRST_WAIT: Duration = Duration::from_secs(1);

const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Failures within [`WINDOW`] after which nothing starts by itself.
const MAX_FAILURES: usize = 5;

const WINDOW: Duration = Duration::from_secs(5 * 60);

/// A wait is up to this part shorter, so that processes that failed together do not start together.
const JITTER: f64 = 0.25;

/// The failures of one process, and what follows from them.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Within the window, the oldest first.
    times: VecDeque<Instant>,
    /// In a row, without a call that was answered.
    row: u32,
}

/// When a process that has failed starts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextStart {
    After(Duration),
    /// Not before it is called, or restarted by a person.
    OnDemand,
}

impl Failures {
    /// Counts a failure. `chance` is between 0 and 1.
    pub(crate) fn add(&mut self, now: Instant, chance: f64) -> NextStart {
        self.times.push_back(now);
        while self
            .times
            .front()
            .is_some_and(|time| now.duration_since(*time) > WINDOW)
        {
            self.times.pop_front();
        }
        let doubled = 2_u32.saturating_pow(self.row);
        self.row = self.row.saturating_add(1);
        if self.times.len() >= MAX_FAILURES {
            self.times.drain(..self.times.len() - MAX_FAILURES);
            return NextStart::OnDemand;
        }
        let wait = FIRST_WAIT.saturating_mul(doubled).min(LONGEST_WAIT);
        NextStart::After(wait.mul_f64(1.0 - JITTER * chance))
    }

    /// A call was answered: the next failure is the first of a row.
    pub(crate) const fn answered(&mut self) {
        self.row = 0;
    }

    /// A person wants another start.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(failures: &mut Failures, apart: Duration, count: usize) -> Vec<NextStart> {
        let begin = Instant::now();
        let at = |n: usize| begin + apart * u32::try_from(n).unwrap();
        (0..count).map(|n| failures.add(at(n), 0.0)).collect()
    }

    #[test]
    fn waits_double_up_to_a_minute() {
        let apart = Duration::from_secs(100);
        let waits = waits(&mut Failures::default(), apart, 8);
        let seconds = [1, 2, 4, 8, 16, 32, 60, 60];
        let expected = seconds.map(|it| NextStart::After(Duration::from_secs(it)));
        assert_eq!(waits, expected);
    }

    #[test]
    fn the_fifth_failure_in_five_minutes_waits_for_a_call_and_so_do_those_after_it() {
        let mut failures = Failures::default();
        let told = waits(&mut failures, Duration::from_secs(30), 7);
        let on_demand = told.iter().map(|next| *next == NextStart::OnDemand);
        let expected = [false, false, false, false, true, true, true];
        assert_eq!(on_demand.collect::<Vec<_>>(), expected);
        failures.forget();
        let first = NextStart::After(FIRST_WAIT);
        assert_eq!(failures.add(Instant::now(), 0.0), first);
    }

    #[test]
    fn an_answer_makes_the_next_failure_the_first() {
        let mut failures = Failures::default();
        waits(&mut failures, Duration::from_secs(200), 5);
        failures.answered();
        let later = Instant::now() + Duration::from_secs(2000);
        assert_eq!(
            failures.add(later, 1.0),
            NextStart::After(Duration::from_millis(750))
        );
    }
}
