//! Turns that go on in the next daemon.

use std::time::Duration;

use scorel_engine::ProviderError;
use scorel_proto::{Block, Message, OnRestart, Phase, SessionChanges, SessionId, TurnId};
use scorel_session::{MutationCommand, SessionSettings, UpdateRequest};

use crate::log::text;
use crate::rig::{Rig, client, settings};
use crate::stage::{ModelCall, provider_error};

/// A session whose turn waits for an hour.
async fn waiting() -> (Rig, SessionId, TurnId) {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "go").await;
    let error = ProviderError {
        retry_after: Some(Duration::from_secs(3600)),
        ..provider_error(true)
    };
    rig.model().await.fail(error).await;
    follower.until("turn_waiting").await;
    (rig, id, turn)
}

#[tokio::test(start_paused = true)]
async fn a_waiting_turn_waits_on_after_a_crash_and_after_an_orderly_stop() {
    for orderly in [false, true] {
        let (rig, id, turn) = waiting().await;
        if orderly {
            assert!(rig.sessions.drain(Duration::from_secs(5)).await);
        }
        let again = rig.crashed();
        let lane = again.lane(id).await;
        assert_eq!(lane.phase(), (Phase::Waiting, Some(turn)));
        let started = tokio::time::Instant::now();
        let mut follower = again.follow(id).await;
        again.model().await.answer("patience").await;
        assert!(started.elapsed() > Duration::from_secs(3000));
        assert_eq!(follower.outcome().await, "completed");
        let log = again.check(id).await;
        assert_eq!(
            log.outline()[2..],
            ["turn_waiting", "turn_resumed", "assistant", "turn_outcome"]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_waits_on_can_be_cancelled() {
    let (rig, id, turn) = waiting().await;
    let again = rig.crashed();
    let mut follower = again.follow(id).await;
    let lane = again.lane(id).await;
    assert!(lane.cancel(Some(turn)));
    assert_eq!(follower.outcome().await, "cancelled");
    again.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_turn_goes_on_once_where_that_is_wanted() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    let resuming = SessionSettings {
        on_restart: OnRestart::Resume,
        ..settings()
    };
    let again = rig.crashed().restarted_with(resuming.clone());
    again.lane(id).await;
    let call = again.model().await;
    let last = serde_json::to_value(call.request.messages.last()).expect("JSON");
    assert!(last.to_string().contains("interrupted"), "{last}");
    let twice = again.crashed().restarted_with(resuming);
    let mut follower = again.follow(id).await;
    call.answer("where was I").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = again.check(id).await;
    let result = &log.only("tool_result")["message"]["content"][0]["content"][0];
    assert!(text(result, "text").starts_with("started, but its outcome is unknown"));
    assert_eq!(log.all("turn_resumed").len(), 1);

    twice.lane(id).await;
    let log = twice.check(id).await;
    assert_eq!(
        log.reasons(),
        ["interrupted"],
        "a turn that ends the daemon does so only twice"
    );
    run.end("too late");
}

/// The request that the crash cut off may have reached the endpoint, which then has it in its cache.
#[tokio::test(start_paused = true)]
async fn the_request_of_a_resumed_turn_begins_with_the_one_before() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "look")]).await;
    rig.tool().await.end("seen");
    let cut_off = rig.model().await;
    let resuming = SessionSettings {
        on_restart: OnRestart::Resume,
        ..settings()
    };
    let again = rig.crashed().restarted_with(resuming);
    again.lane(id).await;
    let call = again.model().await;
    let messages = |call: &ModelCall| -> Vec<Message> {
        let all = call.request.messages.iter();
        all.cloned().collect()
    };
    let (before, after) = (messages(&cut_off), messages(&call));
    let (same, new) = after.split_at(before.len());
    assert_eq!(same, before);
    let [Message::User(note)] = new else {
        panic!("{new:?}");
    };
    let note = Block::plain_text_of(&note.content);
    assert!(note.starts_with("<system-reminder>\nThe program"), "{note}");
}

#[tokio::test(start_paused = true)]
async fn a_session_may_want_otherwise_than_configured() {
    for (configured, own) in [
        (OnRestart::Mark, OnRestart::Resume),
        (OnRestart::Resume, OnRestart::Mark),
    ] {
        let rig = Rig::new();
        let id = rig.session().await;
        rig.begin(id, "go").await;
        let _call = rig.model().await;
        let changes = SessionChanges {
            on_restart: Some(own),
            ..SessionChanges::default()
        };
        let command = MutationCommand::new(client(), None, "updateSession", &());
        let lane = rig.lane(id).await;
        let (_, session) = lane
            .mutate(UpdateRequest { command, changes })
            .await
            .expect("changed");
        assert_eq!(session.on_restart, Some(own));
        let again = rig.crashed().restarted_with(SessionSettings {
            on_restart: configured,
            ..settings()
        });
        let mut follower = again.follow(id).await;
        if own == OnRestart::Resume {
            again.model().await.answer("where was I").await;
            assert_eq!(follower.outcome().await, "completed");
        }
        let log = again.check(id).await;
        let resumed = log.all("turn_resumed").len();
        assert_eq!(resumed, usize::from(own == OnRestart::Resume));
    }
}
