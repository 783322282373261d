use std::ops::Range;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A source of chance that can be repeated.
#[derive(Debug)]
pub struct Dice(StdRng);

impl Dice {
    /// Dice for a test: from the variable `SCOREL_SEED` if it is set, else new ones. The seed is
    /// printed, so that a failure names what repeats it.
    #[must_use]
    #[expect(
        clippy::print_stdout,
        reason = "the output of a test that failed is shown"
    )]
    pub fn for_test(test: &str) -> Self {
        let given = std::env::var("SCOREL_SEED")
            .ok()
            .and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| rand::rng().random());
        println!("{test}: SCOREL_SEED={seed}");
        Self::from_seed(seed)
    }

    /// Dice that always fall the same way.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// Dice of their own for a part of a test.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self::from_seed(self.0.random())
    }

    /// A number in a range.
    pub fn roll(&mut self, range: Range<u64>) -> u64 {
        self.0.random_range(range)
    }

    /// A size or an index in a range.
    pub fn index(&mut self, range: Range<usize>) -> usize {
        self.0.random_range(range)
    }

    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.roll(0..100) < percent
    }

    /// A time up to a limit.
    pub fn time_up_to(&mut self, limit: Duration) -> Duration {
        limit.mul_f64(self.0.random())
    }

    /// Letters and spaces.
    pub fn text(&mut self, len: usize) -> String {
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz ";
        (0..len)
            .map(|_| char::from(LETTERS[self.index(0..LETTERS.len())]))
            .collect()
    }
}

/// How often a test does something: the number in a variable of the environment, or the small
/// number of the normal run.
#[must_use]
pub fn runs(variable: &str, normal: usize) -> usize {
    std::env::var(variable)
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(normal)
}
