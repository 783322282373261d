use scorel_proto::{AgentTaskQuestion, CostTotal, OutcomeReason, Phase};
use scorel_session::Lane;

/// The state of an agent's session, as far as its parent needs it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChildState {
    pub(crate) phase: Phase,
    /// Returns whether no turn, compaction or restore is open.
    pub(crate) is_idle: bool,
    pub(crate) queued: usize,
    pub(crate) is_paused: bool,
    /// The question that its turn waits for.
    pub(crate) question: Option<AgentTaskQuestion>,
    /// Set once its own runtimes have ended and their results are delivered.
    pub(crate) has_settled: bool,
    /// The end of its last turn.
    pub(crate) last_outcome: Option<OutcomeReason>,
    pub(crate) cost: CostTotal,
}

impl ChildState {
    pub(crate) fn of(lane: &Lane) -> Self {
        let published = lane.published();
        let state = &published.view().state;
        let question = state.permissions.first();
        Self {
            phase: published.phase(),
            is_idle: !state.has_job(),
            queued: state.queue.items.len(),
            is_paused: state.queue.paused,
            question: question.map(|request| AgentTaskQuestion {
                session_id: lane.id(),
                request_id: request.request_id,
                tool_name: request.tool_name.clone(),
            }),
            has_settled: state.runtimes.are_settled(),
            last_outcome: state.last_outcome,
            cost: state.cost,
        }
    }
}
