//! Messages that come through channels.

use scorel_proto::{
    ChannelSource, ClientId, ErrorCode, PermissionMode, QueueEdit, QueueKind, SendMessageResult,
    WhileRunning,
};
use scorel_session::{QueueRewrite, SendRequest};

use crate::log::{name, text};
use crate::rig::{Rig, clear, command};

const AUTHOR: ClientId = ClientId::Client([7; 16]);

/// A message of the channel `chat`, with its receipt.
fn through(id: &str, words: &str) -> SendRequest {
    SendRequest {
        channel: Some(ChannelSource {
            channel: "chat".to_owned(),
            external_id: id.to_owned(),
            metadata: None,
            mode: PermissionMode::Ask,
        }),
        while_running: WhileRunning::Steer,
        ..command(AUTHOR, id, words)
    }
}

#[tokio::test(start_paused = true)]
async fn the_source_stands_right_before_the_message_and_outside_of_the_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.send(id, through("1", "hello")).await.expect("accepted");
    let log = rig.log(id);
    let [source, user] = &log.records[..2] else {
        panic!("{log:?}");
    };
    assert_eq!(
        (text(source, "type"), &source["turnId"]),
        ("channel_inject", &().into())
    );
    assert_eq!(
        (text(source, "channel"), text(source, "mode")),
        ("chat", "ask")
    );
    assert_eq!(user["message"]["meta"]["channel"]["externalId"], "1");
    rig.model().await.answer("hi").await;
    follower.outcome().await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_of_a_channel_waits_for_a_turn_of_its_own() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    let sent = rig.send(id, through("1", "two")).await.expect("accepted");
    let SendMessageResult::Queued {
        queue: QueueKind::FollowUp,
        queue_item_id,
        ..
    } = sent
    else {
        panic!("{sent:?}");
    };
    let lane = rig.lane(id).await;
    let convert = |kind| QueueRewrite {
        command: clear(),
        expected_version: 1,
        edits: vec![QueueEdit::Convert {
            queue_item_id,
            kind,
        }],
    };
    let refused = lane.mutate(convert(QueueKind::Steer)).await;
    assert_eq!(
        refused.expect_err("refused").code(),
        ErrorCode::InvalidParams
    );
    call.answer("1").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(name(&follower.next().await), "channel_inject");
    assert_eq!(name(&follower.next().await), "user");
    let capped = lane.view(|view| view.state.turn.as_ref().and_then(|it| it.channel.clone()));
    assert_eq!(capped.expect("the channel's").mode, PermissionMode::Ask);
    rig.model().await.answer("2").await;
    follower.outcome().await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_delivered_again_has_the_first_answer_also_after_a_crash() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let request = through("1", "hello");
    let first = rig.send(id, request.clone()).await.expect("accepted");
    rig.model().await.answer("hi").await;
    follower.outcome().await;
    let again = rig.send(id, request.clone()).await;
    assert_eq!(again.expect("accepted"), first);
    let rig = rig.crashed();
    assert_eq!(rig.send(id, request).await.expect("accepted"), first);
    let log = rig.log(id);
    assert_eq!(log.all("channel_inject").len(), 1);
    assert_eq!(log.all("user").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_waits_keeps_its_source_when_the_daemon_crashes() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "one").await;
    rig.send(id, through("1", "two")).await.expect("accepted");
    let rig = rig.crashed();
    let lane = rig.lane(id).await;
    // The interrupted turn has paused the queue, and another message ends that.
    rig.say(id, "three").await;
    let channel = || lane.view(|view| view.state.turn.as_ref().and_then(|it| it.channel.clone()));
    let mut follower = rig.follow(id).await;
    let call = rig.model().await;
    assert_eq!(channel().expect("the channel's turn").external_id, "1");
    call.answer("2").await;
    follower.outcome().await;
    let call = rig.model().await;
    assert_eq!(channel(), None, "a person's turn has the person's rights");
    call.answer("3").await;
    follower.outcome().await;
    rig.check(id).await;
}
