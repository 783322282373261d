//! Messages of extensions to a session with an open turn.

use scorel_proto::{
    AppendCustomMessageResult, Block, ClientId, CustomMessageBody, ErrorCode, InternalMessage,
    Message, Meta, QueueEdit, QueueItemId, SessionId,
};
use scorel_session::{AppendMessage, MutationCommand, QueueRewrite, SessionError};
use serde_json::json;

use super::last;
use crate::rig::{Rig, client};

fn note(message: Message) -> CustomMessageBody {
    CustomMessageBody {
        kind: "board.note".to_owned(),
        message,
        data: Some(json!({"lane": 3})),
        queue_item_id: None,
    }
}

fn internal(text: &str) -> Message {
    Message::Internal(InternalMessage {
        content: vec![Block::text(text)],
        meta: Meta::default(),
    })
}

fn by(client: ClientId, id: &str) -> MutationCommand {
    let id = id.parse().expect("a command id");
    MutationCommand::new(client, Some(id), "appendCustomMessage", &())
}

async fn append(
    rig: &Rig,
    id: SessionId,
    command: MutationCommand,
    message: Message,
) -> Result<AppendCustomMessageResult, SessionError> {
    let lane = rig.lane(id).await;
    lane.mutate(AppendMessage {
        command,
        body: note(message),
    })
    .await
}

fn item(answer: &AppendCustomMessageResult) -> QueueItemId {
    match answer {
        AppendCustomMessageResult::Queued { queue_item_id, .. } => *queue_item_id,
        AppendCustomMessageResult::Appended { .. } => panic!("no turn is open: {answer:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_turn_reads_it_with_the_results_before_its_next_call() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "look")]).await;
    let run = rig.tool().await;
    let me = client();
    let first = append(&rig, id, by(me, "a"), Message::user("moved")).await;
    let first = first.expect("queued");
    let second = append(&rig, id, by(me, "b"), internal("twice")).await;
    let second = second.expect("queued");
    run.end("seen");
    let call = rig.model().await;
    let text = last(&call, 1).concat();
    let place = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("{part} in {text}"))
    };
    assert!(place("seen") < place("moved") && place("moved") < place("twice"));
    assert_eq!(text.matches("<system-reminder>").count(), 2, "{text}");
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let notes = log.all("custom_message");
    for (record, (item, role)) in notes
        .iter()
        .zip([(item(&first), "user"), (item(&second), "internal")])
    {
        assert_eq!(record["queueItemId"], json!(item));
        assert_eq!(record["message"]["role"], role);
        assert_eq!(record["kind"], "board.note");
        assert_eq!(record["data"], json!({"lane": 3}));
        assert_eq!(record["clientId"], json!(me));
    }
    assert_eq!((notes.len(), log.reasons().len()), (2, 1));
    // Sent again, also to the next daemon, it is not added again.
    for rig in [&rig, &rig.crashed()] {
        let again = append(rig, id, by(me, "a"), Message::user("moved")).await;
        assert_eq!(again.expect("the first answer"), first);
        assert_eq!(rig.log(id).lines, log.lines);
    }
}

#[tokio::test(start_paused = true)]
async fn behind_the_last_answer_it_extends_the_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    let added = append(&rig, id, by(client(), "a"), internal("moved")).await;
    item(&added.expect("queued"));
    call.answer("done").await;
    let call = rig.model().await;
    let reminder = "user: <system-reminder>\nmoved\n</system-reminder>";
    assert_eq!(last(&call, 1), [reminder]);
    call.answer("noted").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(rig.check(id).await.reasons(), ["completed"]);
}

#[tokio::test(start_paused = true)]
async fn a_crash_leaves_it_in_the_queue_and_its_kind_with_it() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "go").await;
    let _call = rig.model().await;
    let added = append(&rig, id, by(client(), "a"), internal("moved")).await;
    let next = rig.crashed();
    let lane = next.lane(id).await;
    let queue = lane.session().expect("there").queue;
    assert_eq!(queue[0].queue_item_id, item(&added.expect("queued")));
    let custom = queue[0].meta.as_ref().and_then(|meta| meta.custom.as_ref());
    let custom = custom.expect("it is no plain message");
    assert_eq!(
        (custom.kind.as_str(), custom.internal),
        ("board.note", true)
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_being_cancelled_takes_none_and_none_starts_a_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    assert!(rig.lane(id).await.cancel(None));
    let refused = append(&rig, id, by(client(), "a"), Message::user("moved")).await;
    assert_eq!(
        refused.expect_err("refused").code(),
        ErrorCode::AgentTaskBusy
    );
    run.end("written");
    assert_eq!(follower.outcome().await, "cancelled");
    let added = append(&rig, id, by(client(), "a"), Message::user("moved")).await;
    assert!(matches!(
        added,
        Ok(AppendCustomMessageResult::Appended { .. })
    ));
    let log = rig.check(id).await;
    assert_eq!(log.only("custom_message")["turnId"], json!(null));
    assert_eq!(log.all("queue_update").len(), 0);
}

#[tokio::test(start_paused = true)]
async fn one_that_was_not_read_waits_behind_the_cancel_and_starts_a_turn_when_the_queue_goes_on() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    let added = append(&rig, id, by(client(), "a"), internal("moved")).await;
    let added = item(&added.expect("queued"));
    let lane = rig.lane(id).await;
    assert!(lane.cancel(None));
    call.ended().await;
    assert_eq!(follower.outcome().await, "cancelled");
    let session = lane.session().expect("there");
    assert_eq!((session.queue.len(), session.queue_paused), (1, true));
    let resume = MutationCommand::new(ClientId::Daemon, None, "rewriteQueue", &());
    let edits = vec![QueueEdit::Resume {}];
    let resumed = lane.mutate(QueueRewrite {
        command: resume,
        expected_version: session.queue_version,
        edits,
    });
    resumed.await.expect("it goes on");
    let call = rig.model().await;
    let reminder = "user: <system-reminder>\nmoved\n</system-reminder>";
    assert_eq!(last(&call, 1), [reminder]);
    call.answer("noted").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    assert_eq!(log.only("custom_message")["queueItemId"], json!(added));
    assert_eq!(log.reasons(), ["cancelled", "completed"]);
}
