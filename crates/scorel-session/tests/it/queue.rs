//! Messages that wait.

use scorel_proto::{ErrorCode, Phase, SendMessageResult, WhileRunning};
use scorel_session::SendRequest;
use serde_json::Value;

use crate::log::text;
use crate::rig::{Rig, message};
use crate::stage::provider_error;

#[tokio::test(start_paused = true)]
async fn each_queued_message_becomes_a_turn_of_its_own_in_order() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    let mut items = Vec::new();
    for (position, question) in ["two", "three"].into_iter().enumerate() {
        let SendMessageResult::Queued {
            queue_item_id,
            position: at,
            ..
        } = rig.say(id, question).await
        else {
            panic!("a turn is running");
        };
        assert_eq!(at as usize, position);
        items.push(queue_item_id.to_string());
    }
    call.answer("1").await;
    for answer in ["2", "3"] {
        assert_eq!(follower.outcome().await, "completed");
        rig.model().await.answer(answer).await;
    }
    follower.outcome().await;
    let log = rig.check(id).await;
    let users = log.all("user");
    let consumed: Vec<&Value> = users[1..].iter().map(|user| &user["queueItemId"]).collect();
    assert_eq!(consumed, items.iter().collect::<Vec<_>>());
    assert_eq!(users[1]["message"]["meta"]["source"], "followUp");
    let turns: Vec<&str> = log
        .all("turn_outcome")
        .iter()
        .map(|event| text(event, "turnId"))
        .collect();
    assert_eq!(turns.len(), 3);
    let session = rig.lane(id).await.session().expect("there");
    assert_eq!((session.queue.len(), session.queue_version), (0, 4));
}

#[tokio::test(start_paused = true)]
async fn the_next_turn_begins_right_behind_the_outcome() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    call.answer("1").await;
    follower.outcome().await;
    assert_eq!(crate::log::name(&follower.next().await), "user");
    assert_eq!(crate::log::name(&follower.next().await), "runtime_start");
    rig.model().await.answer("2").await;
    follower.outcome().await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn an_error_pauses_the_queue_until_something_is_added() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    call.fail(provider_error(false)).await;
    assert_eq!(follower.outcome().await, "error");
    let lane = rig.lane(id).await;
    let session = lane.session().expect("there");
    assert!(session.queue_paused);
    assert_eq!(session.phase, Phase::Idle);

    let request = SendRequest {
        while_running: WhileRunning::Reject,
        ..message("three")
    };
    let refused = rig.send(id, request).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::QueuePaused);
    let request = SendRequest {
        parent_event_id: Some(None),
        ..message("three")
    };
    let refused = rig.send(id, request).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::AgentTaskBusy);

    rig.say(id, "three").await;
    for answer in ["2", "3"] {
        rig.model().await.answer(answer).await;
        assert_eq!(follower.outcome().await, "completed");
    }
    let log = rig.check(id).await;
    let texts: Vec<&Value> = log
        .all("user")
        .iter()
        .map(|user| &user["message"]["content"][0]["text"])
        .collect();
    assert_eq!(texts, ["one", "two", "three"], "what waited comes first");
}

#[tokio::test(start_paused = true)]
async fn cancelling_pauses_what_was_queued_before() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    let lane = rig.lane(id).await;
    assert!(lane.cancel(None));
    call.ended().await;
    assert_eq!(follower.outcome().await, "cancelled");
    assert!(lane.session().expect("there").queue_paused);
    rig.check(id).await;

    let again = rig.restarted();
    assert!(again.lane(id).await.session().expect("there").queue_paused);
    again.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_accepted_after_a_cancel_lifts_the_coming_pause() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    rig.say(id, "two").await;
    let lane = rig.lane(id).await;
    assert!(lane.cancel(None));
    assert_eq!(lane.phase().0, Phase::Cancelling);
    rig.say(id, "three").await;
    run.end("finished all the same");
    assert_eq!(follower.outcome().await, "cancelled");
    for answer in ["2", "3"] {
        rig.model().await.answer(answer).await;
        assert_eq!(follower.outcome().await, "completed");
    }
    let log = rig.check(id).await;
    let updates = log.all("queue_update");
    assert_eq!(updates.len(), 2, "the outcome itself does not pause");
    assert_eq!(updates[1]["ops"][0]["goOn"], true);
}
