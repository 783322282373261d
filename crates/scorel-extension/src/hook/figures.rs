use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::{HookFailure, HookRun};

/// The latest runs whose times are kept.
const KEPT: usize = 128;

/// The doings of a hook since the daemon began. In memory, and of bounded size.
#[derive(Debug, Default)]
pub struct HookFigures {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    told: HookCounts,
    times: VecDeque<Duration>,
    /// All runs, if they are kept.
    runs: Option<Vec<HookRun>>,
}

/// The figures of a hook at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookCounts {
    /// Events that its matcher matched.
    pub matched: u64,
    /// Runs of its command.
    pub ran: u64,
    pub denied: u64,
    pub changed: u64,
    pub failed: u64,
    pub last_error: Option<String>,
    /// The time below which 19 of 20 of the latest runs took.
    pub p95: Option<Duration>,
}

impl HookFigures {
    /// Figures that keep all runs as well.
    pub(super) fn keeping_runs() -> Self {
        let figures = Self::default();
        figures.lock().runs = Some(Vec::new());
        figures
    }

    pub(super) fn begins(&self, input: &Value) {
        if let Some(runs) = &mut self.lock().runs {
            runs.push(HookRun::new(input));
        }
    }

    pub(super) fn ended(&self, end: impl FnOnce(&mut HookRun)) {
        if let Some(run) = self.lock().runs.as_mut().and_then(|runs| runs.last_mut()) {
            end(run);
        }
    }

    pub(super) fn runs(&self) -> Vec<HookRun> {
        self.lock().runs.clone().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Poisoning can be ignored: they are numbers.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn matched(&self) {
        self.lock().told.matched += 1;
    }

    pub(super) fn ran(&self, took: Duration) {
        let mut counts = self.lock();
        counts.told.ran += 1;
        if counts.times.len() == KEPT {
            counts.times.pop_front();
        }
        counts.times.push_back(took);
    }

    pub(super) fn denied(&self) {
        self.lock().told.denied += 1;
    }

    pub(super) fn changed(&self) {
        self.lock().told.changed += 1;
    }

    pub(super) fn failed(&self, failure: &HookFailure) {
        let mut counts = self.lock();
        counts.told.failed += 1;
        counts.told.last_error = Some(failure.to_string());
    }

    /// The figures as they are now.
    pub fn counts(&self) -> HookCounts {
        let counts = self.lock();
        let mut times: Vec<Duration> = counts.times.iter().copied().collect();
        times.sort_unstable();
        let place = (times.len() * 19).div_ceil(20).saturating_sub(1);
        HookCounts {
            p95: times.get(place).copied(),
            ..counts.told.clone()
        }
    }
}
