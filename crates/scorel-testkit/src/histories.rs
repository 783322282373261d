use std::ops::Range;
use std::time::Instant;

use crate::{SeededDice, runs};

/// Random histories for a model test: each is what its seed makes of it.
#[derive(Debug, Clone)]
pub struct Histories {
    variable: &'static str,
    seeds: Range<u64>,
}

impl Histories {
    /// As many as the environment variable says, or `usual`. The first seed is `SCOREL_SEED`, or any.
    pub fn new(variable: &'static str, usual: usize) -> Self {
        // Half of the numbers leave room for the seeds that follow.
        let first = SeededDice::given_seed().unwrap_or_else(|| rand::random::<u64>() >> 1);
        let count = runs(variable, usual) as u64;
        Self {
            variable,
            seeds: first..first.saturating_add(count),
        }
    }

    pub fn seeds(&self) -> Range<u64> {
        self.seeds.clone()
    }

    /// Plays all of them, on every processor.
    pub fn play(&self, play: impl Fn(u64) + Sync) {
        self.play_at_once(1, play);
    }

    /// Plays all of them, so many at once on every processor: more than one if each waits for other threads.
    #[expect(
        clippy::print_stdout,
        reason = "the test runner shows the output of failed tests"
    )]
    pub fn play_at_once(&self, count: usize, play: impl Fn(u64) + Sync) {
        let threads = count * std::thread::available_parallelism().map_or(1, usize::from);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let seeds = self.seeds().skip(thread).step_by(threads);
                let play = &play;
                scope.spawn(move || seeds.for_each(|seed| self.play_one(seed, play)));
            }
        });
        println!("{:?} of {self:?}", begun.elapsed());
    }

    /// Plays one, and says how to play it again if it fails.
    pub fn play_one(&self, seed: u64, play: impl FnOnce(u64)) {
        let named = Named(self.variable, seed);
        play(seed);
        drop(named);
    }
}

struct Named(&'static str, u64);

impl Drop for Named {
    #[expect(
        clippy::print_stderr,
        reason = "the test runner shows the output of failed tests"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(variable, seed) = self;
            eprintln!("the history failed: SCOREL_SEED={seed} {variable}=1");
        }
    }
}
