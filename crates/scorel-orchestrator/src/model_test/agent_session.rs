use std::collections::BTreeSet;

use scorel_proto::{AgentTaskId, CostTotal, OutcomeReason, Phase};

use crate::child_state::ChildState;

/// The session of an agent, as far as tasks can see it. It survives crashes as its log would.
#[derive(Debug, Default)]
pub(super) struct AgentSession {
    /// The receipts of the tasks that it has accepted.
    pub(super) accepted: BTreeSet<AgentTaskId>,
    /// How many turns its tasks have started.
    pub(super) prompts: u32,
    pub(super) has_turn: bool,
    pub(super) is_asking: bool,
    pub(super) last_outcome: Option<OutcomeReason>,
}

impl AgentSession {
    pub(super) fn send(&mut self, id: AgentTaskId) {
        if self.accepted.insert(id) {
            self.prompts += 1;
            self.has_turn = true;
        }
    }

    pub(super) fn end(&mut self, reason: OutcomeReason) {
        if self.has_turn {
            self.has_turn = false;
            self.is_asking = false;
            self.last_outcome = Some(reason);
        }
    }

    pub(super) fn state(&self) -> ChildState {
        ChildState {
            phase: Phase::Running,
            is_idle: !self.has_turn,
            queued: 0,
            is_paused: false,
            question: None,
            has_settled: true,
            last_outcome: self.last_outcome,
            cost: CostTotal::default(),
        }
    }
}
