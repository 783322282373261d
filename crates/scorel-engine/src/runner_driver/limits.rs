use scorel_proto::OutcomeReason;

use super::RunnerDriver;
use super::step::EarlyEnd;
use crate::cost_limits::{AmountsSpent, cost_unknown};
use crate::ports::RunnerSpent;
use crate::{EngineEvent, Spending};

impl RunnerDriver {
    pub(super) fn count(&mut self, spent: &RunnerSpent) {
        self.usage += spent.usage;
        self.cost.add(&spent.usage, spent.cost);
        self.event(EngineEvent::CallCharged {
            model: self.draft.model().to_owned(),
            usage: spent.usage,
            cost: spent.cost,
        });
        self.check_limits();
    }

    fn check_limits(&mut self) {
        let limits = &self.ports.limits;
        let reached = limits.reached(self.steps, &self.usage);
        let turn = self.cost.micro_usd;
        let spent = AmountsSpent {
            turn,
            session: self.spent.session_micro_usd.saturating_add(turn),
            day: self.spent.day_micro_usd.saturating_add(turn),
        };
        if let Some(error) = reached.or_else(|| limits.cost.exceeded(spent, 0)) {
            self.end_early(EarlyEnd::Limit(error));
        }
    }

    /// Takes the amounts spent before the turn. Due before its first step if a cost is limited.
    pub fn provide_spending(&mut self, spending: Spending) {
        self.spent = spending;
        if !self.ports.runner.capabilities().cost {
            let text = format!("{} does not report its cost", self.ports.runner.name());
            self.close(OutcomeReason::Limit, Some(cost_unknown(&text)), false);
            return;
        }
        self.check_limits();
    }
}
