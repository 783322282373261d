use scorel_proto::{AgentTask, AgentTaskId, AgentTaskInfo, AgentTasks, Seq, SessionWorktree};
use scorel_session::Lane;

/// A session, as the orchestrator reads it.
pub(crate) trait TaskLane {
    /// Reads the runtimes of the session.
    fn runtimes<R>(&self, read: impl FnOnce(&AgentTasks) -> R) -> R;

    /// A runtime of the session, as clients see it.
    fn runtime(&self, id: AgentTaskId) -> Option<AgentTaskInfo>;

    /// The runtimes for which something is left to do, as of an event.
    fn unsettled_runtimes(&self) -> (Seq, Vec<(AgentTaskId, AgentTask)>);

    /// How many sessions are above this one.
    fn depth(&self) -> u32;

    /// The git worktree that it works in, if it has one of its own.
    fn worktree(&self) -> Option<SessionWorktree>;

    /// The tool calls of the open turn that have no result yet.
    fn open_calls(&self) -> Vec<String>;
}

impl TaskLane for Lane {
    fn runtimes<R>(&self, read: impl FnOnce(&AgentTasks) -> R) -> R {
        self.view(|view| read(&view.state.runtimes))
    }

    fn runtime(&self, id: AgentTaskId) -> Option<AgentTaskInfo> {
        let owner = (self.id(), self.project_id());
        self.runtimes(|all| Some(AgentTaskInfo::new(id, all.get(id)?, owner)))
    }

    fn unsettled_runtimes(&self) -> (Seq, Vec<(AgentTaskId, AgentTask)>) {
        self.view(|view| {
            let unsettled = view.state.runtimes.unsettled();
            let unsettled = unsettled.map(|(id, runtime)| (id, runtime.clone()));
            (view.state.last_seq, unsettled.collect())
        })
    }

    fn depth(&self) -> u32 {
        self.header().agent.as_ref().map_or(0, |agent| agent.depth)
    }

    fn worktree(&self) -> Option<SessionWorktree> {
        self.header().worktree().cloned()
    }

    fn open_calls(&self) -> Vec<String> {
        self.view(|view| {
            let turn = view.state.turn.as_ref();
            let calls = turn.map_or(&[][..], |turn| &turn.calls);
            calls.iter().map(|call| call.tool_call_id.clone()).collect()
        })
    }
}
