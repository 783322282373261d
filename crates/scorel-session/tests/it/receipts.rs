//! A command is carried out once.

use scorel_proto::{CommandId, ErrorCode, SendMessageResult, SessionChanges};
use scorel_session::{CancelAndClear, MutationCommand, UpdateRequest};

use crate::rig::{Rig, clear, client, command};

#[tokio::test(start_paused = true)]
async fn a_command_that_is_sent_again_gets_its_first_answer() {
    let rig = Rig::new();
    let id = rig.session().await;
    let me = client();
    let first = rig
        .send(id, command(me, "one", "hello"))
        .await
        .expect("accepted");
    let call = rig.model().await;
    let queued = rig
        .send(id, command(me, "two", "more"))
        .await
        .expect("queued");
    for _ in 0..2 {
        assert_eq!(
            rig.send(id, command(me, "one", "hello"))
                .await
                .expect("again"),
            first
        );
        assert_eq!(
            rig.send(id, command(me, "two", "more"))
                .await
                .expect("again"),
            queued
        );
    }
    let mut follower = rig.follow(id).await;
    call.answer("1").await;
    follower.outcome().await;
    rig.model().await.answer("2").await;
    follower.outcome().await;
    let again = rig
        .send(id, command(me, "two", "more"))
        .await
        .expect("again");
    assert_eq!(again, queued, "also when the message has left the queue");
    let log = rig.check(id).await;
    assert_eq!(log.all("user").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_command_is_remembered_by_the_log_and_by_the_checkpoint() {
    let rig = Rig::new();
    let id = rig.session().await;
    let me = client();
    let first = rig
        .send(id, command(me, "one", "hello"))
        .await
        .expect("accepted");
    let mut follower = rig.follow(id).await;
    let call = rig.model().await;
    let queued = rig
        .send(id, command(me, "two", "more"))
        .await
        .expect("queued");
    call.answer("1").await;
    follower.outcome().await;
    rig.model().await.answer("2").await;
    follower.outcome().await;
    drop(follower);

    let from_log = rig.crashed();
    assert!(!from_log.dir(id).join("checkpoint").exists());
    rig.sessions.drain(std::time::Duration::from_secs(5)).await;
    let from_checkpoint = rig.crashed();
    assert!(from_checkpoint.dir(id).join("checkpoint").exists());
    for again in [from_log, from_checkpoint] {
        let before = again.log(id).lines;
        let same = again
            .send(id, command(me, "one", "hello"))
            .await
            .expect("again");
        assert_eq!(same, first);
        let same = again
            .send(id, command(me, "two", "more"))
            .await
            .expect("again");
        assert_eq!(same, queued);
        let other = again.send(id, command(me, "one", "good bye")).await;
        assert_eq!(other.expect_err("refused").code(), ErrorCode::Conflict);
        assert_eq!(again.log(id).lines, before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_id_belongs_to_one_client_and_one_payload() {
    let rig = Rig::new();
    let id = rig.session().await;
    let (me, you) = (client(), client());
    let mine = rig
        .send(id, command(me, "one", "hello"))
        .await
        .expect("accepted");
    let other = rig
        .send(id, command(me, "one", "good bye"))
        .await
        .expect_err("refused");
    assert_eq!(other.code(), ErrorCode::Conflict);
    let yours = rig
        .send(id, command(you, "one", "hello"))
        .await
        .expect("queued");
    assert_ne!(mine, yours);
    assert!(matches!(yours, SendMessageResult::Queued { .. }));
    let call = rig.model().await;
    rig.lane(id)
        .await
        .mutate(CancelAndClear {
            command: clear(),
            expected: None,
            clears: true,
            stops_children: false,
        })
        .await
        .expect("cancelled");
    call.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_session_is_made_once() {
    let rig = Rig::new();
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    let name: CommandId = "rename".parse().expect("a command id");
    let me = client();
    let rename = |title: &str| {
        let changes = SessionChanges {
            title: Some(title.to_owned()),
            ..SessionChanges::default()
        };
        (
            MutationCommand::new(me, Some(name.clone()), "updateSession", &changes),
            changes,
        )
    };
    let (request, changes) = rename("a");
    let (seq, _) = lane
        .mutate(UpdateRequest {
            command: request.clone(),
            changes: changes.clone(),
        })
        .await
        .expect("changed");
    let (again, _) = lane
        .mutate(UpdateRequest {
            command: request,
            changes,
        })
        .await
        .expect("answered");
    assert_eq!(seq, again);
    let (request, changes) = rename("b");
    let refused = lane
        .mutate(UpdateRequest {
            command: request,
            changes,
        })
        .await
        .expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::Conflict);
    rig.check(id).await.only("session_info");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_failed_can_be_sent_again() {
    let rig = Rig::new();
    let id = rig.session().await;
    let me = client();
    let mut request = command(me, "one", "hello");
    request.parent_event_id = Some(Some(scorel_proto::EventId::generate()));
    rig.send(id, request).await.expect_err("refused");
    rig.send(id, command(me, "one", "hello"))
        .await
        .expect("accepted");
    rig.model().await.answer("hi").await;
}
