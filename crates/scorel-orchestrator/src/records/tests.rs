//! What a session records of the tasks that it has given to agents. Every step may be repeated.

use std::sync::Arc;

use scorel_proto::{
    AgentTaskMetadata, Block, ClientId, ResultDelivery, SessionChanges, SessionId, SpawnRefusal,
};
use scorel_session::{Lane, MutationCommand, SessionError, UpdateRequest};

use super::*;
use crate::agents::OrchestratorLimits;
use crate::task_lane::TaskLane as _;
use crate::test_home::TestHome;

fn own() -> MutationCommand {
    MutationCommand::new(ClientId::Daemon, None, "", &())
}

fn request(continued: Option<AgentTaskId>) -> SpawnRequest {
    SpawnRequest {
        order: SpawnOrder {
            command: own(),
            agent_type: "developer".to_owned(),
            prompt: "Do it.".to_owned(),
            title: None,
            workflow_id: None,
            continued,
            deliver: ResultDelivery::Turn,
            tool_call_id: None,
        },
        runtime_id: AgentTaskId::generate(),
        session_id: SessionId::generate(),
        title: "a task".to_owned(),
        limits: OrchestratorLimits {
            max_open: 2,
            ..OrchestratorLimits::default()
        },
        refused: None,
    }
}

fn completed() -> AgentTaskEnding {
    AgentTaskEnding {
        status: AgentTaskStatus::Completed,
        reason: "completed".to_owned(),
        last_message: "done".to_owned(),
        blob: None,
        metadata: AgentTaskMetadata::default(),
    }
}

/// Gives a task whose session exists and works.
async fn running(lane: &Arc<Lane>) -> AgentTaskId {
    let new = request(None);
    let id = lane.mutate(new).await.expect("accepted").runtime_id;
    begin(lane, id).await;
    id
}

/// The session of a task exists and works.
async fn begin(lane: &Arc<Lane>, id: AgentTaskId) {
    let bound = lane.persist(move |section| bind(section, id)).await;
    bound.expect("bound");
    let change = AgentTaskChange::to(AgentTaskStatus::Running);
    let running = lane.persist(move |section| change_status(section, id, &change));
    running.await.expect("running");
}

async fn deliver(lane: &Arc<Lane>, id: AgentTaskId) {
    let content = vec![Block::text("the result")];
    let delivered =
        lane.persist(move |section| deliver_result(section, id, content.clone(), false));
    delivered.await.expect("queued");
}

async fn end(lane: &Arc<Lane>, id: AgentTaskId) {
    let ended = lane.persist(move |section| finish(section, id, completed(), None));
    ended.await.expect("known");
}

/// Archives the session, so that results wait in its queue.
async fn archive(lane: &Arc<Lane>) {
    let changes = SessionChanges {
        archived: Some(true),
        ..SessionChanges::default()
    };
    lane.mutate(UpdateRequest {
        command: own(),
        changes,
    })
    .await
    .expect("archived");
}

#[tokio::test]
async fn a_step_that_is_repeated_after_a_crash_writes_nothing() {
    let home = TestHome::new();
    let id = home.session().await;
    let lane = home.lane(id).await;
    task_that_is_stopped(&lane).await;
    let runtime = running(&lane).await;
    archive(&lane).await;
    deliver(&lane, runtime).await;
    // A crash between the result and the end.
    let next = home.crashed();
    let lane = next.lane(id).await;
    for _ in 0..2 {
        begin(&lane, runtime).await;
        deliver(&lane, runtime).await;
    }
    for _ in 0..2 {
        end(&lane, runtime).await;
        let recorded = lane.persist(move |section| record_delivery(section, runtime));
        recorded.await.expect("known");
    }
    assert_eq!(lane.session().expect("there").queue.len(), 1);
    for (kind, count) in [
        ("runtime_bound_session", 1),
        ("runtime_status_changed", 1),
        ("queue_update", 1),
        ("runtime_finished", 2),
        ("runtime_result_delivered", 0),
    ] {
        assert_eq!(next.count(id, kind), count, "{kind}");
    }
}

/// Another task of the session, which ends while it waits.
async fn task_that_is_stopped(lane: &Arc<Lane>) {
    let new = request(None);
    let id = lane.mutate(new).await.expect("accepted").runtime_id;
    let stop = || StopRuntime { command: own(), id };
    let stopped = lane.mutate(stop()).await.expect("known");
    assert!(stopped.is_some());
    let again = lane.mutate(stop()).await.expect("known");
    assert_eq!(again, None, "it has ended");
}

#[tokio::test]
async fn a_session_gives_as_many_tasks_as_it_may_and_goes_on_with_those_that_have_ended() {
    let home = TestHome::new();
    let lane = home.lane(home.session().await).await;
    let (first, second) = (running(&lane).await, running(&lane).await);
    let refused = lane.mutate(request(Some(first))).await;
    let kind = SpawnRefusal::TooMany;
    assert!(
        matches!(refused, Err(SessionError::SpawnRefused { kind: it, limit: Some(2) }) if it == kind)
    );
    end(&lane, second).await;
    let busy = lane.mutate(request(Some(first))).await;
    assert!(
        matches!(busy, Err(SessionError::Conflict(_))),
        "it has not ended"
    );
    let goes_on = lane.mutate(request(Some(second))).await;
    let goes_on = goes_on.expect("accepted");
    let session = |id| lane.runtimes(|all| all.get(id).and_then(|runtime| runtime.session_id));
    assert_eq!(Some(goes_on.session_id), session(second));
}
