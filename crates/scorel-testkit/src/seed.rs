use std::ops::Range;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A seeded random number generator, so that a failed test can be repeated.
#[derive(Debug)]
pub struct SeededDice(StdRng);

impl SeededDice {
    /// Seeds from `SCOREL_SEED` if it is set, else at random, and prints the seed.
    #[expect(
        clippy::print_stdout,
        reason = "the test runner shows the output of failed tests"
    )]
    pub fn for_test(test: &str) -> Self {
        let seed = Self::given_seed().unwrap_or_else(rand::random);
        println!("{test}: SCOREL_SEED={seed}");
        Self::from_seed(seed)
    }

    pub(crate) fn given_seed() -> Option<u64> {
        std::env::var("SCOREL_SEED").ok()?.parse().ok()
    }

    /// Equal seeds give equal sequences.
    pub fn from_seed(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// An independent generator for a part of a test, so that its draws do not depend on the timing
    /// of other parts.
    pub fn fork(&mut self) -> Self {
        Self::from_seed(self.0.random())
    }

    pub fn roll(&mut self, range: Range<u64>) -> u64 {
        self.0.random_range(range)
    }

    pub fn index(&mut self, range: Range<usize>) -> usize {
        self.0.random_range(range)
    }

    /// True with a probability of `percent` in 100.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.roll(0..100) < percent
    }

    pub fn time_up_to(&mut self, limit: Duration) -> Duration {
        limit.mul_f64(self.0.random())
    }

    /// Random letters and spaces.
    pub fn text(&mut self, len: usize) -> String {
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz ";
        (0..len)
            .map(|_| char::from(LETTERS[self.index(0..LETTERS.len())]))
            .collect()
    }
}

/// The number of repetitions of a test: from an environment variable, which long runs set, or the
/// small number of a normal run.
pub fn runs(variable: &str, normal: usize) -> usize {
    std::env::var(variable)
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(normal)
}
