//! Messages to the running turn.

mod custom;

use std::time::Duration;

use scorel_proto::{Message, Phase, QueueKind, SendMessageResult, SessionId, WhileRunning};
use scorel_session::SendRequest;

use crate::log::{Log, text};
use crate::rig::{Rig, message};
use crate::stage::{ModelCall, provider_error};

fn steer(text: &str) -> SendRequest {
    SendRequest {
        while_running: WhileRunning::Steer,
        ..message(text)
    }
}

async fn send(rig: &Rig, id: SessionId, text: &str) -> QueueKind {
    match rig.send(id, steer(text)).await.expect("accepted") {
        SendMessageResult::Queued { queue, .. } => queue,
        other @ SendMessageResult::Accepted { .. } => panic!("{other:?}"),
    }
}

/// The texts of the request's last `count` messages that the model did not write.
fn last(call: &ModelCall, count: usize) -> Vec<String> {
    let messages: Vec<&Message> = call.request.messages.iter().collect();
    messages[messages.len() - count..]
        .iter()
        .map(|message| match message {
            Message::User(user) => format!("user: {}", plain(&user.content)),
            Message::ToolResult(result) => format!("result: {:?}", result.result().content),
            other => format!("{other:?}"),
        })
        .collect()
}

fn plain(content: &[scorel_proto::Block]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        scorel_proto::Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("|")
}

/// All messages of users are in one turn, which completed.
fn one_turn(log: &Log, users: usize) {
    let outcome = log.only("turn_outcome");
    assert_eq!(text(outcome, "reason"), "completed");
    let all = log.all("user");
    assert_eq!(all.len(), users);
    for user in all {
        assert_eq!(user["turnId"], outcome["turnId"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_steer_is_read_with_the_results_before_the_next_model_call() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    assert_eq!(send(&rig, id, "other file").await, QueueKind::Steer);
    assert_eq!(send(&rig, id, "and be quick").await, QueueKind::Steer);
    assert_eq!(rig.lane(id).await.session().expect("there").queue.len(), 2);
    run.end("written");
    let call = rig.model().await;
    let result = last(&call, 1).remove(0);
    for part in ["written", "other file", "and be quick", "<system-reminder>"] {
        assert!(result.contains(part), "{part} in {result}");
    }
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    one_turn(&log, 3);
    assert_eq!(log.all("user")[1]["message"]["meta"]["source"], "steer");
}

#[tokio::test(start_paused = true)]
async fn a_steer_after_the_last_answer_extends_the_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    call.text("I am").await;
    send(&rig, id, "also this").await;
    call.done(scorel_proto::StopReason::EndTurn).await;
    let call = rig.model().await;
    assert_eq!(last(&call, 1), ["user: also this"]);
    call.answer("that too").await;
    assert_eq!(follower.outcome().await, "completed");
    one_turn(&rig.check(id).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_steer_to_an_idle_session_starts_a_turn_or_joins_the_queue() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let answer = rig.send(id, steer("one")).await.expect("accepted");
    assert!(matches!(answer, SendMessageResult::Accepted { .. }));
    let call = rig.model().await;
    rig.say(id, "waits").await;
    call.fail(provider_error(false)).await;
    assert_eq!(follower.outcome().await, "error");
    assert_eq!(send(&rig, id, "joins").await, QueueKind::FollowUp);
    for answer in ["2", "3"] {
        rig.model().await.answer(answer).await;
        assert_eq!(follower.outcome().await, "completed");
    }
    let log = rig.check(id).await;
    assert_eq!(log.all("turn_outcome").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_steer_that_no_call_follows_becomes_the_first_follow_up() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "follow-up").await;
    send(&rig, id, "steer").await;
    let version = rig.lane(id).await.session().expect("there").queue_version;
    call.fail(provider_error(false)).await;
    assert_eq!(follower.outcome().await, "error");
    let session = rig.lane(id).await.session().expect("there");
    let queue: Vec<_> = session
        .queue
        .iter()
        .map(|item| plain(&item.content))
        .collect();
    assert_eq!(queue, ["steer", "follow-up"]);
    assert!(
        session
            .queue
            .iter()
            .all(|item| item.kind == QueueKind::FollowUp)
    );
    assert!(session.queue_paused);
    assert_eq!(session.queue_version, version + 1);
    rig.check(id).await;
    let again = rig.restarted();
    assert_eq!(
        again.lane(id).await.session().expect("there").queue,
        session.queue
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_during_a_cancel_goes_on_whatever_it_was_sent_as() {
    for while_running in [WhileRunning::Steer, WhileRunning::FollowUp] {
        let rig = Rig::new();
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "one").await;
        rig.model().await.tools(&[("c1", "write")]).await;
        let run = rig.tool().await;
        rig.say(id, "waits").await;
        assert!(rig.lane(id).await.cancel(None));
        let request = SendRequest {
            while_running,
            ..message("instead")
        };
        let answer = rig.send(id, request).await.expect("accepted");
        let SendMessageResult::Queued { queue, .. } = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(queue, QueueKind::FollowUp);
        let update = rig.log(id).all("queue_update").pop().cloned().expect("one");
        assert_eq!(update["ops"][0]["goOn"], true);
        // What a crash leaves now knows that the queue goes on.
        let crashed = rig.crashed();
        run.end("written");
        assert_eq!(follower.outcome().await, "cancelled");
        for answer in ["2", "3"] {
            rig.model().await.answer(answer).await;
            assert_eq!(follower.outcome().await, "completed");
        }
        rig.check(id).await;

        let mut follower = crashed.follow(id).await;
        for answer in ["2", "3"] {
            crashed.model().await.answer(answer).await;
            assert_eq!(follower.outcome().await, "completed");
        }
        crashed.check(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_reads_what_came_during_its_delay() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model().await.fail(provider_error(true)).await;
    follower.until("model_retry").await;
    send(&rig, id, "also this").await;
    let call = rig.model().await;
    assert_eq!(last(&call, 2), ["user: one", "user: also this"]);
    call.answer("both").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    one_turn(&log, 2);
    assert_eq!(
        log.only("turn_outcome")["steps"],
        1,
        "a retry is no new step"
    );
}

#[tokio::test(start_paused = true)]
async fn a_steer_ends_no_wait_and_is_read_after_it() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let mut error = provider_error(true);
    error.retry_after = Some(Duration::from_secs(120));
    rig.model().await.fail(error).await;
    follower.until("turn_waiting").await;
    send(&rig, id, "also this").await;
    assert_eq!(rig.lane(id).await.phase().0, Phase::Waiting);
    let call = rig.model().await;
    assert_eq!(last(&call, 2), ["user: one", "user: also this"]);
    call.answer("both").await;
    assert_eq!(follower.outcome().await, "completed");
    one_turn(&rig.check(id).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_crash_leaves_a_steer_in_the_queue_or_in_the_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "one").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    send(&rig, id, "steer").await;
    let before = rig.crashed();
    run.end("written");
    let _call = rig.model().await;
    let after = rig.crashed();

    let session = before.lane(id).await.session().expect("there");
    assert_eq!(session.queue.len(), 1);
    assert!(session.queue_paused);
    assert_eq!(before.check(id).await.all("user").len(), 1);

    let session = after.lane(id).await.session().expect("there");
    assert_eq!(session.queue.len(), 0);
    assert_eq!(after.check(id).await.all("user").len(), 2);
}
