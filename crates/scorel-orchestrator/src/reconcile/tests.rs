use std::collections::BTreeMap;

use scorel_engine::{HookChain, ToolList};
use scorel_proto::{
    AgentTaskMetadata, Event, EventId, PersistentEvent, ProjectId, SessionWorktree,
};
use scorel_session::SessionHeader;
use serde_json::json;

use super::*;
use crate::agents::{AgentHost, ProjectAgents};
use crate::run_use::RunUse;
use crate::test_home::TestHome;

#[derive(Debug)]
struct NoAgents;

impl AgentHost for NoAgents {
    fn agents(&self, _: Option<ProjectId>) -> ProjectAgents {
        ProjectAgents::default()
    }

    fn hooks(&self, _: &SessionHeader, _: &ToolList) -> Result<HookChain, String> {
        Ok(HookChain::default())
    }

    fn worktree(
        &self,
        _: ProjectId,
        _: AgentTaskId,
        _: &str,
        _: Option<&SessionWorktree>,
    ) -> Result<SessionWorktree, String> {
        Err("there are none".to_owned())
    }

    fn reached_limit(&self, _: &RunUse) -> Option<u64> {
        None
    }

    fn left_undone(&self, _: &SessionWorktree) -> Option<String> {
        None
    }
}

fn orchestrator() -> Arc<Orchestrator> {
    Orchestrator::new(Arc::new(NoAgents), |_| TestHome::new().sessions)
}

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

fn task(parent: SessionId, status: AgentTaskStatus) -> Task {
    Task {
        parent,
        project_id: ProjectId::generate(),
        agent_type: "developer".to_owned(),
        workflow_id: None,
        session_id: None,
        status,
        position: None,
        started_at: 1,
        spawned_seq: seq(1),
    }
}

/// The record that a runtime has completed.
fn finished(parent: SessionId, id: AgentTaskId) -> PersistentEvent {
    let event = json!({
        "id": EventId::generate(), "parentId": null, "seq": 4, "sessionId": parent,
        "clientId": "daemon", "ts": 2, "type": "runtime_finished", "runtimeId": id, "version": 4,
        "status": "completed", "timestamp": 2, "finalStatus": "completed", "endedAt": 2,
        "reason": "completed", "lastMessage": "", "metadata": AgentTaskMetadata::default(),
    });
    match Event::decode(&event.to_string()) {
        Ok(Event::Persistent(event)) => *event,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_is_not_done_with_while_the_schedule_has_a_task_of_it() {
    let orchestrator = orchestrator();
    let parent = SessionId::generate();
    assert!(orchestrator.is_done_with(parent, true));
    // A spawn that looked before its runtime was stopped.
    let task = task(parent, AgentTaskStatus::Queued);
    orchestrator.refresh(parent, seq(1), vec![(AgentTaskId::generate(), task)]);
    assert!(!orchestrator.is_done_with(parent, true), "it is stale");
    orchestrator.refresh(parent, seq(2), Vec::new());
    assert!(orchestrator.is_done_with(parent, true));
}

#[tokio::test]
async fn a_runtime_is_not_counted_as_running_once_its_end_is_recorded() {
    let orchestrator = orchestrator();
    let (parent, id) = (SessionId::generate(), AgentTaskId::generate());
    let running = vec![(id, task(parent, AgentTaskStatus::Running))];
    orchestrator.refresh(parent, seq(3), running);
    let none = BTreeMap::new();
    let running = || orchestrator.counts(None, "developer", &none).running;
    assert_eq!(running(), 1);
    orchestrator.committed(&finished(parent, id));
    assert_eq!(running(), 0);
}
