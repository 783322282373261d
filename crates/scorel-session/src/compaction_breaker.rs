/// Compactions in a row that may be in vain.
const IN_VAIN: u8 = 2;

/// Stops compactions that do not help: each costs a call of the model, and where the instructions and
/// tools alone fill the window every step of every turn would cost one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CompactionBreaker {
    /// The model that the rest is about.
    model: String,
    in_vain: u8,
    since: Since,
}

/// The events since the last compaction of unknown effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Since {
    /// There is no such compaction.
    #[default]
    Known,
    /// None yet.
    Made,
    /// A call was made with the compacted conversation, and its endpoint may have counted that.
    Called,
}

/// The size of the next request, compared with the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BudgetCheck {
    pub(crate) over: bool,
    /// True if what the endpoint has counted is over the budget alone. `None` if it has counted
    /// nothing.
    pub(crate) counted_over: Option<bool>,
}

impl CompactionBreaker {
    /// Takes in the size of the next request. Returns whether a compaction may be tried.
    ///
    /// What the endpoint counts is the proof. A request may be over the budget because of what came
    /// after the last call, which no compaction could know of.
    pub(crate) fn check(&mut self, model: &str, size: BudgetCheck) -> bool {
        if self.model != model {
            *self = Self {
                model: model.to_owned(),
                ..Self::default()
            };
        }
        match (size.counted_over, self.since, size.over) {
            (Some(true), Since::Made | Since::Called, _) | (None, Since::Made, true) => {
                self.since = Since::Known;
                self.failed();
            }
            (None, Since::Made, false) => self.since = Since::Called,
            (Some(false), _, _) | (None, Since::Called, _) | (None, Since::Known, false) => {
                self.reset();
            }
            (Some(true) | None, Since::Known, _) => {}
        }
        !self.is_open()
    }

    /// A person has asked for a compaction.
    pub(crate) fn reset(&mut self) {
        self.in_vain = 0;
        self.since = Since::Known;
    }

    /// A compaction was made. The size of the next request tells whether it helped.
    pub(crate) fn made(&mut self) {
        self.since = Since::Made;
    }

    /// A compaction failed.
    pub(crate) fn failed(&mut self) {
        self.in_vain = self.in_vain.saturating_add(1);
    }

    /// Returns whether automatic compactions have stopped.
    pub(crate) fn is_open(&self) -> bool {
        self.in_vain >= IN_VAIN
    }
}

#[cfg(test)]
mod tests {
    use super::{BudgetCheck, CompactionBreaker};

    const fn size(over: bool, counted_over: Option<bool>) -> BudgetCheck {
        BudgetCheck { over, counted_over }
    }

    #[test]
    fn two_compactions_in_vain_are_the_last() {
        let mut breaker = CompactionBreaker::default();
        assert!(breaker.check("a", size(true, Some(true))));
        breaker.made();
        // Estimated, it fits. The endpoint counts more.
        assert!(breaker.check("a", size(false, None)));
        assert!(breaker.check("a", size(true, Some(true))));
        breaker.made();
        assert!(
            !breaker.check("a", size(true, None)),
            "it does not even fit by the estimate"
        );
        assert!(breaker.is_open());
        assert!(breaker.check("b", size(true, None)), "another model");
    }

    #[test]
    fn a_failure_counts_as_well() {
        let mut breaker = CompactionBreaker::default();
        for allowed in [true, true, false] {
            assert_eq!(breaker.check("a", size(true, Some(true))), allowed);
            breaker.failed();
        }
        assert!(
            breaker.check("a", size(false, Some(false))),
            "a smaller size"
        );
    }

    #[test]
    fn a_conversation_that_grows_again_is_compacted_again() {
        for counts in [true, false] {
            let mut breaker = CompactionBreaker::default();
            let counted = |over| counts.then_some(over);
            for _ in 0..5 {
                assert!(breaker.check("a", size(true, counted(false))), "{counts}");
                breaker.made();
                assert!(breaker.check("a", size(false, None)));
            }
        }
    }
}
