use scorel_proto::{CostTotal, OutcomeReason, Phase, RuntimeQuestion};

use crate::lane::Lane;

/// What a session does, as far as the session that gave it a task must know.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildState {
    pub phase: Phase,
    /// Whether no turn, compaction or restore is open.
    pub is_idle: bool,
    pub queued: usize,
    pub is_paused: bool,
    /// The question that its turn waits for.
    pub question: Option<RuntimeQuestion>,
    /// Whether its own runtimes have ended and their results are delivered.
    pub has_settled: bool,
    /// How its last turn ended.
    pub last_outcome: Option<OutcomeReason>,
    pub cost: CostTotal,
}

impl Lane {
    #[must_use]
    pub fn child_state(&self) -> ChildState {
        let published = self.published();
        let state = &published.view().state;
        let question = state.permissions.first();
        ChildState {
            phase: published.phase(),
            is_idle: !state.has_job(),
            queued: state.queue.items.len(),
            is_paused: state.queue.paused,
            question: question.map(|request| RuntimeQuestion {
                session_id: self.id(),
                request_id: request.request_id,
                tool_name: request.tool_name.clone(),
            }),
            has_settled: state.runtimes.are_settled(),
            last_outcome: state.last_outcome,
            cost: state.cost,
        }
    }
}
