//! Saying something.

use scorel_proto::{
    ErrorCode, EventId, Phase, QueueItemId, SendMessageResult, SessionChanges, WhileRunning,
};
use scorel_session::{CancelAndClear, SendRequest, SessionError, SessionSettings, UpdateRequest};

use crate::log::text;
use crate::rig::{Rig, clear, client, command, message, settings};

fn code<T: std::fmt::Debug>(result: Result<T, SessionError>) -> ErrorCode {
    result.expect_err("an error").code()
}

#[tokio::test(start_paused = true)]
async fn a_message_to_an_idle_session_is_durable_when_it_is_accepted() {
    let rig = Rig::new();
    let id = rig.session().await;
    let me = client();
    let answer = rig
        .send(id, command(me, "one", "hello"))
        .await
        .expect("accepted");
    let log = rig.log(id);
    let user = &log.records[0];
    let SendMessageResult::Accepted {
        user_event_id,
        turn_id,
        seq,
    } = answer
    else {
        panic!("{answer:?}");
    };
    assert_eq!(text(user, "id"), user_event_id.to_string());
    assert_eq!(text(user, "turnId"), turn_id.to_string());
    assert_eq!(text(user, "clientId"), me.to_string());
    assert_eq!(text(user, "commandId"), "one");
    assert_eq!(user["seq"], seq.get());
    rig.model().await.answer("hi").await;
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_running_session_is_queued_or_refused() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    let ask = |while_running| SendRequest {
        while_running,
        ..message("two")
    };
    assert_eq!(
        code(rig.send(id, ask(WhileRunning::Reject)).await),
        ErrorCode::AgentTaskBusy
    );
    assert_eq!(
        rig.log(id).all("queue_update").len(),
        0,
        "nothing has changed"
    );
    let mut request = ask(WhileRunning::FollowUp);
    let me = client();
    request.command.client_id = me;
    let answer = rig.send(id, request).await.expect("queued");
    let SendMessageResult::Queued {
        position: 0,
        queue_item_id,
        ..
    } = answer
    else {
        panic!("{answer:?}");
    };
    let log = rig.log(id);
    let update = log.only("queue_update");
    assert_eq!(text(update, "clientId"), me.to_string());
    assert_eq!(
        text(&update["ops"][0]["item"], "queueItemId"),
        queue_item_id.to_string()
    );
    call.answer("done").await;
    rig.model().await.answer("done too").await;
}

#[tokio::test(start_paused = true)]
async fn a_message_can_begin_anew_or_follow_a_finished_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let end_of_one = rig.lane(id).await.session().expect("there").active_leaf_id;
    rig.exchange(id, "two").await;

    for (parent, roles) in [(None, 1), (end_of_one, 3)] {
        let request = SendRequest {
            parent_event_id: Some(parent),
            ..message("again")
        };
        rig.send(id, request).await.expect("accepted");
        let call = rig.model().await;
        assert_eq!(call.request.messages.len(), roles);
        let mut follower = rig.follow(id).await;
        call.answer("done").await;
        follower.outcome().await;
    }
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_follows_nothing_but_the_end_of_a_finished_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    let user = rig.exchange(id, "one").await;
    let before = rig.log(id).lines;
    for wrong in [user, EventId::generate()] {
        let request = SendRequest {
            parent_event_id: Some(Some(wrong)),
            ..message("two")
        };
        assert_eq!(code(rig.send(id, request).await), ErrorCode::InvalidEventId);
    }
    assert_eq!(rig.log(id).lines, before);
    rig.begin(id, "two").await;
    let call = rig.model().await;
    let request = SendRequest {
        parent_event_id: Some(None),
        ..message("three")
    };
    assert_eq!(code(rig.send(id, request).await), ErrorCode::AgentTaskBusy);
    call.answer("done").await;
}

#[tokio::test(start_paused = true)]
async fn a_message_with_an_expected_leaf_is_accepted_only_there() {
    let rig = Rig::new();
    let id = rig.session().await;
    let expect = |leaf| SendRequest {
        expected_leaf_id: Some(leaf),
        ..message("go")
    };
    let wrong = Some(EventId::generate());
    assert_eq!(code(rig.send(id, expect(wrong)).await), ErrorCode::Conflict);
    rig.exchange(id, "one").await;
    assert_eq!(code(rig.send(id, expect(None)).await), ErrorCode::Conflict);
    let leaf = rig.lane(id).await.session().expect("there").active_leaf_id;
    rig.send(id, expect(leaf)).await.expect("accepted");
    rig.model().await.answer("done").await;
}

#[tokio::test(start_paused = true)]
async fn a_message_can_choose_the_model_from_now_on() {
    let rig = Rig::new();
    let id = rig.session().await;
    let request = SendRequest {
        model: Some("other".to_owned()),
        runner: None,
        ..message("one")
    };
    let mut follower = rig.follow(id).await;
    rig.send(id, request).await.expect("accepted");
    rig.model().await.answer("done").await;
    follower.outcome().await;
    rig.exchange(id, "two").await;
    let log = rig.check(id).await;
    log.only("session_info");
    for answer in log.all("assistant") {
        assert_eq!(answer["message"]["model"], "script:other");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_too_large_for_a_record_is_refused_and_changes_nothing() {
    let rig = Rig::new();
    let id = rig.session().await;
    let large = || message(&"x".repeat(4 * 1024 * 1024));
    let with_model = || SendRequest {
        model: Some("other".to_owned()),
        runner: None,
        ..large()
    };
    for request in [large(), with_model()] {
        let refused = code(rig.send(id, request).await);
        assert_eq!(refused, ErrorCode::PayloadTooLarge);
    }
    assert_eq!(rig.log(id).lines.len(), 0);
    rig.exchange(id, "small").await;
    rig.begin(id, "two").await;
    let call = rig.model().await;
    let before = rig.log(id).lines;
    let refused = code(rig.send(id, with_model()).await);
    assert_eq!(refused, ErrorCode::PayloadTooLarge);
    assert_eq!(rig.log(id).lines, before, "nor while a turn runs");
    let mut follower = rig.follow(id).await;
    call.answer("done").await;
    follower.outcome().await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_bounded_in_messages_and_in_bytes() {
    let rig = Rig::with(SessionSettings {
        max_queue: 3,
        ..settings()
    });
    let id = rig.session().await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    let large = "x".repeat(3 * 1024 * 1024);
    rig.say(id, &large).await;
    assert_eq!(
        code(rig.send(id, message(&large)).await),
        ErrorCode::Overloaded
    );
    rig.say(id, "two").await;
    rig.say(id, "three").await;
    assert_eq!(
        code(rig.send(id, message("four")).await),
        ErrorCode::Overloaded
    );
    assert_eq!(rig.log(id).all("queue_update").len(), 3);
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
async fn a_session_in_the_middle_of_a_turn_says_what_it_does() {
    let rig = Rig::new();
    let id = rig.session().await;
    let turn = rig.begin(id, "one").await;
    let call = rig.model().await;
    let lane = rig.lane(id).await;
    assert_eq!(lane.phase(), (Phase::Running, Some(turn)));
    let active = rig.sessions.overview().active;
    assert_eq!((active.len(), active[0].turn_id), (1, Some(turn)));
    let mut follower = rig.follow(id).await;
    call.answer("done").await;
    follower.outcome().await;
    assert_eq!(lane.phase(), (Phase::Idle, None));
    assert_eq!(rig.sessions.overview().active.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_session_is_recorded_and_does_not_move_the_leaf() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let lane = rig.lane(id).await;
    let before = lane.session().expect("there");
    let changes = SessionChanges {
        title: Some("a title".to_owned()),
        archived: Some(true),
        ..SessionChanges::default()
    };
    let request = message("title");
    let (seq, after) = lane
        .mutate(UpdateRequest {
            command: request.command,
            changes,
        })
        .await
        .expect("changed");
    assert_eq!(after.active_leaf_id, before.active_leaf_id);
    assert_eq!(
        (after.title.as_deref(), after.archived),
        (Some("a title"), true)
    );
    assert_eq!(after.last_persistent_seq, seq);
    let refused = lane.mutate(message("two")).await;
    assert!(
        matches!(refused, Err(SessionError::Archived)),
        "{refused:?}"
    );
    let restored = SessionChanges {
        archived: Some(false),
        ..SessionChanges::default()
    };
    let request = message("restore");
    lane.mutate(UpdateRequest {
        command: request.command,
        changes: restored,
    })
    .await
    .expect("restored");
    rig.exchange(id, "two").await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn clearing_the_queue_removes_what_waits_and_nothing_else() {
    let rig = Rig::new();
    let id = rig.session().await;
    let turn = rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    rig.say(id, "three").await;
    let lane = rig.lane(id).await;
    let other = scorel_proto::TurnId::generate();
    assert!(
        !lane
            .mutate(CancelAndClear {
                command: clear(),
                expected: Some(other),
                clears: true,
                stops_children: false
            })
            .await
            .expect("answered")
            .cancelled
    );
    assert_eq!(
        lane.session().expect("there").queue.len(),
        2,
        "another turn is open"
    );
    let mut follower = rig.follow(id).await;
    assert!(
        lane.mutate(CancelAndClear {
            command: clear(),
            expected: Some(turn),
            clears: true,
            stops_children: false
        })
        .await
        .expect("cancelled")
        .cancelled
    );
    assert_eq!(follower.outcome().await, "cancelled");
    call.ended().await;
    let log = rig.check(id).await;
    let ops = log.all("queue_update")[2]["ops"]
        .as_array()
        .expect("ops")
        .clone();
    let removed: Vec<QueueItemId> = ops
        .iter()
        .map(|op| text(op, "queueItemId").parse().expect("an id"))
        .collect();
    assert_eq!(removed.len(), 2);
    assert_eq!(log.all("user").len(), 1);
}
