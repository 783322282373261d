use std::sync::Weak;

use scorel_proto::{ProjectId, SessionWorktree};

use super::*;
use crate::agents::{AgentHost, ProjectAgents};

#[derive(Debug)]
struct NoAgents;

impl AgentHost for NoAgents {
    fn agents(&self, _: Option<ProjectId>) -> ProjectAgents {
        ProjectAgents::default()
    }

    fn worktree(
        &self,
        _: ProjectId,
        _: RuntimeId,
        _: &str,
        _: Option<&SessionWorktree>,
    ) -> Result<SessionWorktree, String> {
        Err("there are none".to_owned())
    }
}

#[test]
fn a_session_is_not_done_with_while_the_schedule_has_a_task_of_it() {
    let orchestrator = Orchestrator::new(Weak::new(), Arc::new(NoAgents));
    let parent = SessionId::generate();
    let seq = |number| Seq::new(number).unwrap();
    assert!(orchestrator.is_done_with(parent, true));
    // A spawn that looked before its runtime was stopped.
    let task = Task {
        parent,
        project_id: ProjectId::generate(),
        agent_type: "developer".to_owned(),
        workflow_id: None,
        session_id: None,
        status: RuntimeStatus::Queued,
        position: None,
        started_at: 1,
        spawned_seq: seq(1),
    };
    orchestrator.refresh(parent, seq(1), vec![(RuntimeId::generate(), task)]);
    assert!(!orchestrator.is_done_with(parent, true), "it is stale");
    orchestrator.refresh(parent, seq(2), Vec::new());
    assert!(orchestrator.is_done_with(parent, true));
}
