//! The use of a run, over its sessions and the agents that it gave tasks, and the rest of its limits.

use scorel_engine::TurnLimits;
use scorel_proto::{RunSpent, SessionId, SessionState};

use crate::run_budget::RunBudget;
use crate::run_file::RunFile;
use crate::runs::Runs;

/// The use of a run by now, with this session as its newest one.
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
