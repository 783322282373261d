use scorel_config::WorkflowConfig;
use scorel_engine::TurnLimits;
use scorel_proto::RunSpent;

/// The rest of what a run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunBudget {
    tokens: Option<u64>,
    micro_usd: Option<u64>,
}

impl RunBudget {
    pub(crate) fn of(limits: &WorkflowConfig, spent: RunSpent) -> Self {
        let rest = |max: Option<u64>, used: u64| max.map(|max| max.saturating_sub(used));
        Self {
            tokens: rest(limits.max_run_tokens, spent.tokens),
            micro_usd: rest(limits.max_run_cost, spent.micro_usd),
        }
    }

    /// The limits of a turn that may use no more than the rest.
    pub(crate) fn lower(self, mut limits: TurnLimits) -> TurnLimits {
        if let Some(tokens) = self.tokens {
            limits.max_tokens = limits.max_tokens.min(tokens);
        }
        if let Some(rest) = self.micro_usd {
            let turn = limits.cost.turn.map_or(rest, |turn| turn.min(rest));
            limits.cost.turn = Some(turn);
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_gets_what_is_left_and_no_more_than_it_had() {
        let budget = RunBudget {
            tokens: Some(100),
            micro_usd: Some(7),
        };
        let lowered = budget.lower(TurnLimits::default());
        assert_eq!((lowered.max_tokens, lowered.cost.turn), (100, Some(7)));
        let mut narrow = TurnLimits {
            max_tokens: 50,
            ..TurnLimits::default()
        };
        narrow.cost.turn = Some(3);
        let lowered = budget.lower(narrow.clone());
        assert_eq!(lowered, narrow);
        let none = RunBudget {
            tokens: None,
            micro_usd: None,
        };
        assert_eq!(none.lower(narrow.clone()), narrow);
    }
}
