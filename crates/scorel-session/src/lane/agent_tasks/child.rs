use scorel_proto::{
    AgentTaskQuestion, CostTotal, OutcomeReason, Phase, ProjectId, SessionWorktree,
};

use tokio::sync::watch;

use crate::feed::FeedHead;
use crate::lane::Lane;

/// A receiver for the news that a session has published events.
#[derive(Debug)]
pub struct LaneChanges(watch::Receiver<FeedHead>);

impl LaneChanges {
    /// Treats everything published so far as seen.
    pub fn mark_unchanged(&mut self) {
        self.0.mark_unchanged();
    }

    /// Waits for the next unseen event. Returns `false` if the session was unloaded instead.
    pub async fn changed(&mut self) -> bool {
        self.0.changed().await.is_ok()
    }
}

/// The state of an agent's session, as far as its parent needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildState {
    pub phase: Phase,
    /// Whether no turn, compaction or restore is open.
    pub is_idle: bool,
    pub queued: usize,
    pub is_paused: bool,
    /// The question that its turn waits for.
    pub question: Option<AgentTaskQuestion>,
    /// Whether its own runtimes have ended and their results are delivered.
    pub has_settled: bool,
    /// How its last turn ended.
    pub last_outcome: Option<OutcomeReason>,
    pub cost: CostTotal,
}

impl Lane {
    /// The project of the session.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.header().project_id
    }

    /// How many sessions are above this one.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.header().agent.as_ref().map_or(0, |agent| agent.depth)
    }

    /// The git worktree that it works in, if it has one of its own.
    #[must_use]
    pub fn worktree(&self) -> Option<SessionWorktree> {
        self.header().agent.as_ref()?.worktree.clone()
    }

    /// The tool calls of the open turn that have no result yet.
    #[must_use]
    pub fn open_calls(&self) -> Vec<String> {
        self.view(|view| {
            let turn = view.state.turn.as_ref();
            let calls = turn.map_or(&[][..], |turn| &turn.calls);
            calls.iter().map(|call| call.tool_call_id.clone()).collect()
        })
    }

    /// Changes with every event of the session.
    #[must_use]
    pub fn watch_changes(&self) -> LaneChanges {
        LaneChanges(self.watch_head())
    }

    /// Whether a message waits for the running turn's next model call.
    #[must_use]
    pub fn has_steers(&self) -> bool {
        self.view(|view| view.state.queue.has_steers())
    }

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
            question: question.map(|request| AgentTaskQuestion {
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
