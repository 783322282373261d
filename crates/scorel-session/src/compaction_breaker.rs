/// Compactions in a row that may be in vain.
const IN_VAIN: u8 = 2;

/// Stops compactions that do not help: each costs a call of the model, and where the instructions and
/// tools alone fill the window every step of every turn would cost one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CompactionBreaker {
    /// The model that the rest is about.
    model: String,
    in_vain: u8,
    /// A compaction was made, and no size is known since.
    made: bool,
}

impl CompactionBreaker {
    /// The size of a request is over the budget. Returns whether a compaction may be tried.
    pub(crate) fn over_budget(&mut self, model: &str) -> bool {
        if self.model != model {
            *self = Self {
                model: model.to_owned(),
                ..Self::default()
            };
        }
        if std::mem::take(&mut self.made) {
            self.in_vain += 1;
        }
        self.in_vain < IN_VAIN
    }

    /// The size of a request is within the budget, or a person has asked for a compaction.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// A compaction was made. The size of the next request tells whether it helped.
    pub(crate) fn made(&mut self) {
        self.made = true;
    }

    /// A compaction failed.
    pub(crate) fn failed(&mut self) {
        self.in_vain = self.in_vain.saturating_add(1);
    }

    /// Whether automatic compactions have stopped.
    pub(crate) fn is_open(&self) -> bool {
        self.in_vain >= IN_VAIN
    }
}

#[cfg(test)]
mod tests {
    use super::CompactionBreaker;

    #[test]
    fn two_compactions_in_vain_are_the_last() {
        let mut breaker = CompactionBreaker::default();
        assert!(breaker.over_budget("a"));
        breaker.made();
        assert!(breaker.over_budget("a"));
        breaker.failed();
        assert!(!breaker.over_budget("a"));
        assert!(breaker.is_open());
        assert!(breaker.over_budget("b"), "another model");
    }

    #[test]
    fn a_size_within_the_budget_forgives() {
        let mut breaker = CompactionBreaker::default();
        for _ in 0..5 {
            assert!(breaker.over_budget("a"));
            breaker.made();
            breaker.reset();
        }
    }
}
