use scorel_proto::{Cost, OutcomeReason, TurnError, Usage};

use super::TurnDriver;
use super::state::TurnState;
use crate::Spending;
use crate::cost_limits::{AmountsSpent, cost_unknown};

impl TurnDriver {
    /// Answers [`TurnStep::NeedSpending`](super::TurnStep::NeedSpending).
    pub fn provide_spending(&mut self, spending: &Spending) {
        let (limits, price) = (&self.ports.limits, self.ports.provider.model().price);
        let spent = AmountsSpent {
            turn: self.cost.micro_usd,
            session: spending.session_micro_usd,
            day: spending.day_micro_usd,
        };
        let estimate = price.map_or(0, |price| price.of_input(spending.input_tokens));
        self.state = match limits.cost.exceeded(spent, estimate) {
            Some(error) => TurnState::Finished(OutcomeReason::Limit, Some(error)),
            None => TurnState::Affordable,
        };
    }

    /// The reason why the limits of cost cannot be kept.
    pub(super) fn cost_unknown(&self) -> Option<TurnError> {
        let model = self.ports.provider.model();
        let reason = match model.price {
            None => format!("the price of {} is not known", model.id),
            Some(price) if self.has_gap && !price.is_free() => {
                let text = "did not report what its last answer used";
                format!("{} {text}", model.provider)
            }
            Some(_) => return None,
        };
        Some(cost_unknown(&reason))
    }

    /// Counts what a call used.
    pub(super) fn count(&mut self, usage: Option<Usage>, cost: Option<Cost>) {
        let usage = usage.unwrap_or_default();
        self.usage += usage;
        self.cost.add(&usage, cost);
    }
}
