//! What a session records of the tasks that it has given to agents. Every step may be repeated.

use std::sync::Arc;

use scorel_proto::{
    AgentTaskId, AgentTaskMetadata, AgentTaskStatus, Block, ClientId, ResultDelivery,
    SessionChanges, SessionId, SpawnRefusal,
};
use scorel_session::{
    AgentTaskChange, AgentTaskEnding, Lane, MutationCommand, SessionError, SpawnLimits,
    SpawnRequest, SpawnTarget,
};

use crate::rig::Rig;

fn own() -> MutationCommand {
    MutationCommand::new(ClientId::Daemon, None, "", &())
}

fn request(target: SpawnTarget) -> SpawnRequest {
    SpawnRequest {
        command: own(),
        runtime_id: AgentTaskId::generate(),
        agent_type: "developer".to_owned(),
        target,
        workflow_id: None,
        title: "a task".to_owned(),
        prompt: "Do it.".to_owned(),
        deliver: ResultDelivery::Turn,
        tool_call_id: None,
        limits: SpawnLimits {
            open: 2,
            per_turn: 16,
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
    let new = request(SpawnTarget::New(SessionId::generate()));
    let id = lane.spawn_runtime(new).await.expect("accepted").runtime_id;
    lane.bind_runtime(id).await.expect("bound");
    let change = AgentTaskChange::to(AgentTaskStatus::Running);
    assert!(lane.change_runtime(id, change).await.expect("running"));
    id
}

/// Archives the session, so that results wait in its queue.
async fn archive(lane: &Arc<Lane>) {
    let changes = SessionChanges {
        archived: Some(true),
        ..SessionChanges::default()
    };
    lane.update(own(), changes).await.expect("archived");
}

#[tokio::test]
async fn a_step_that_is_repeated_after_a_crash_writes_nothing() {
    let rig = Rig::new();
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    task_that_is_stopped(&lane).await;
    let runtime = running(&lane).await;
    archive(&lane).await;
    let result = || vec![Block::text("the result")];
    lane.deliver_result(runtime, result(), false)
        .await
        .expect("queued");
    // A crash between the result and the end.
    let next = rig.crashed();
    let lane = next.lane(id).await;
    for _ in 0..2 {
        lane.bind_runtime(runtime).await.expect("known");
        let change = AgentTaskChange::to(AgentTaskStatus::Running);
        lane.change_runtime(runtime, change).await.expect("known");
        lane.deliver_result(runtime, result(), false)
            .await
            .expect("known");
    }
    for _ in 0..2 {
        let ended = lane.finish_runtime(runtime, completed()).await;
        ended.expect("known");
        lane.record_delivery(runtime).await.expect("known");
    }
    assert_eq!(lane.session().expect("there").queue.len(), 1);
    let log = next.log(id);
    for (kind, count) in [
        ("runtime_bound_session", 1),
        ("runtime_status_changed", 1),
        ("queue_update", 1),
        ("runtime_finished", 2),
        ("runtime_result_delivered", 0),
    ] {
        assert_eq!(log.all(kind).len(), count, "{kind}");
    }
}

/// Another task of the session, which ends while it waits.
async fn task_that_is_stopped(lane: &Arc<Lane>) {
    let new = request(SpawnTarget::New(SessionId::generate()));
    let id = lane.spawn_runtime(new).await.expect("accepted").runtime_id;
    let stopped = lane.stop_runtime(own(), id).await.expect("known");
    assert!(stopped.is_some());
    let again = lane.stop_runtime(own(), id).await.expect("known");
    assert_eq!(again, None, "it has ended");
}

#[tokio::test]
async fn a_session_gives_as_many_tasks_as_it_may_and_goes_on_with_those_that_have_ended() {
    let rig = Rig::new();
    let lane = rig.lane(rig.session().await).await;
    let (first, second) = (running(&lane).await, running(&lane).await);
    let refused = lane.spawn_runtime(request(SpawnTarget::Of(first))).await;
    let kind = SpawnRefusal::TooMany;
    assert!(
        matches!(refused, Err(SessionError::SpawnRefused { kind: it, limit: Some(2) }) if it == kind)
    );
    lane.finish_runtime(second, completed())
        .await
        .expect("known");
    let busy = lane.spawn_runtime(request(SpawnTarget::Of(first))).await;
    assert!(
        matches!(busy, Err(SessionError::Conflict(_))),
        "it has not ended"
    );
    let goes_on = lane.spawn_runtime(request(SpawnTarget::Of(second))).await;
    let goes_on = goes_on.expect("accepted");
    let session = |id| lane.runtimes(|all| all.get(id).and_then(|runtime| runtime.session_id));
    assert_eq!(Some(goes_on.session_id), session(second));
}
