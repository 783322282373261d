//! What a run has used, over its sessions and the agents that it gave tasks, and what is left of its limits.

use scorel_config::WorkflowConfig;
use scorel_engine::TurnLimits;
use scorel_proto::{RunSpent, SessionId, SessionState};

use crate::run_file::RunFile;
use crate::runs::Runs;

/// The rest of what a run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunBudget {
    tokens: Option<u64>,
    micro_usd: Option<u64>,
}

/// What a run has used by now, with this session as its newest one.
pub(crate) fn spent(state: &SessionState) -> RunSpent {
    let before = state.run.as_ref().map(|run| run.spent_before);
    let before = before.unwrap_or_default();
    let of_agents = state.runtimes.cost().micro_usd;
    RunSpent {
        tokens: before.tokens.saturating_add(state.usage.total()),
        micro_usd: before
            .micro_usd
            .saturating_add(state.cost.micro_usd)
            .saturating_add(of_agents),
    }
}

impl Runs {
    /// Takes note of what a turn of a session may use.
    pub(crate) fn note_budget(&self, id: SessionId, file: &RunFile, state: &SessionState) {
        let project = self.project(file.project_id).ok();
        let config = self
            .config
            .current(project.as_ref().map(|it| it.dir.as_path()));
        let budget = RunBudget::of(&config.workflow, spent(state));
        self.memory().budgets.insert(id, budget);
    }

    /// The limits of a turn, as far as its run has something left.
    pub fn turn_limits(&self, session: SessionId, limits: TurnLimits) -> TurnLimits {
        let budget = self.memory().budgets.get(&session).copied();
        budget.map_or(limits.clone(), |budget| budget.lower(limits))
    }
}

impl RunBudget {
    fn of(limits: &WorkflowConfig, spent: RunSpent) -> Self {
        let rest = |max: Option<u64>, used: u64| max.map(|max| max.saturating_sub(used));
        Self {
            tokens: rest(limits.max_run_tokens, spent.tokens),
            micro_usd: rest(limits.max_run_cost, spent.micro_usd),
        }
    }

    fn lower(self, mut limits: TurnLimits) -> TurnLimits {
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
