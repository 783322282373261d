//! The rest of a run's limits, which are over its sessions and the agents that these have given tasks.

use scorel_config::WorkflowConfig;
use scorel_engine::TurnLimits;
use scorel_proto::{RunId, RunSpent, SessionId, SessionState};

use crate::run_budget::RunBudget;
use crate::runs::Runs;

/// The use of a run by now, with this session as its newest one.
pub(crate) fn spent(state: &SessionState) -> RunSpent {
    let before = state.run.as_ref().map(|run| run.spent_before);
    before.unwrap_or_default().plus(state.used())
}

impl Runs {
    /// Takes note of what a turn of a session may use that works for a run; `None` if it works for none. `holder` is the
    /// session that has the run. Reads files; blocks.
    pub fn note_budget(&self, id: SessionId, of: Option<(RunId, SessionId, RunSpent)>) {
        let budget = of.and_then(|(run, holder, spent)| self.budget(run, holder, spent));
        let budgets = &mut self.memory().budgets;
        match budget {
            Some(budget) => budgets.insert(id, budget),
            None => budgets.remove(&id),
        };
    }

    /// The limits of the turn that was taken note of last, as far as its run has something left.
    pub fn turn_limits(&self, session: SessionId, limits: TurnLimits) -> TurnLimits {
        match self.memory().budgets.remove(&session) {
            Some(budget) => budget.lower(limits),
            None => limits,
        }
    }

    /// The limit that keeps a run from giving agents another task, if it has reached one. Reads files; blocks.
    pub fn reached_limit(&self, run: RunId, holder: SessionId, spent: RunSpent) -> Option<u64> {
        let limits = self.limits_of(run, holder)?;
        let reached = |max: Option<u64>, used: u64| max.filter(|max| used >= *max);
        reached(limits.max_spawns, spent.spawns)
            .or_else(|| reached(limits.max_run_tokens, spent.tokens))
            .or_else(|| reached(limits.max_run_cost, spent.micro_usd))
    }

    fn budget(&self, run: RunId, holder: SessionId, spent: RunSpent) -> Option<RunBudget> {
        let limits = self.limits_of(run, holder)?;
        Some(RunBudget::of(&limits, spent))
    }

    /// The limits of a run; `None` if it is gone, or another session has it by now.
    fn limits_of(&self, run: RunId, holder: SessionId) -> Option<WorkflowConfig> {
        let file = self.file(&self.dir(run)).ok()?;
        if file.sessions.last() != Some(&holder) {
            return None;
        }
        let project = self.project(file.project_id).ok();
        let dir = project.as_ref().map(|it| it.dir.as_path());
        Some(self.config.current(dir).workflow.clone())
    }
}
