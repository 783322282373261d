//! `rewriteQueue`.

use scorel_proto::{
    Block, ClientId, CommandId, Content, ErrorCode, QueueEdit, QueueItem, QueueItemId, QueueKind,
    RewriteQueueResult, SendMessageResult, SessionId,
};
use scorel_session::{MutationCommand, QueueRewrite, SessionError};

use crate::follower::{Follower, within};
use crate::log::text;
use crate::rig::{Rig, client, message};
use crate::stage::{ModelCall, provider_error};

/// A session with a running turn and three messages that wait.
struct Waiting {
    rig: Rig,
    id: SessionId,
    follower: Follower,
    call: ModelCall,
    items: [QueueItemId; 3],
}

impl Waiting {
    async fn new() -> Self {
        let rig = Rig::new();
        let id = rig.session().await;
        let follower = rig.follow(id).await;
        rig.begin(id, "one").await;
        let call = rig.model().await;
        let mut items = Vec::new();
        for text in ["a", "b", "c"] {
            let SendMessageResult::Queued { queue_item_id, .. } = rig.say(id, text).await else {
                panic!("a turn is running");
            };
            items.push(queue_item_id);
        }
        Self {
            rig,
            id,
            follower,
            call,
            items: items.try_into().expect("three"),
        }
    }
}

fn anonymous() -> MutationCommand {
    MutationCommand::new(ClientId::Daemon, None, "rewriteQueue", &())
}

async fn rewrite(
    rig: &Rig,
    id: SessionId,
    command: MutationCommand,
    version: u64,
    edits: Vec<QueueEdit>,
) -> Result<RewriteQueueResult, SessionError> {
    let lane = rig.lane(id).await;
    within(lane.mutate(QueueRewrite {
        command,
        expected_version: version,
        edits,
    }))
    .await
}

fn texts(queue: &[QueueItem]) -> Vec<String> {
    let text = |item: &QueueItem| match item.content.as_slice() {
        [Block::Text { text, .. }] => text.clone(),
        other => panic!("{other:?}"),
    };
    queue.iter().map(text).collect()
}

fn add(text: &str, position: Option<u32>) -> QueueEdit {
    QueueEdit::Add {
        kind: QueueKind::FollowUp,
        content: Content::from(text),
        position,
        hold: None,
    }
}

#[tokio::test(start_paused = true)]
async fn all_operations_are_one_record_of_the_caller() {
    let waiting = Waiting::new().await;
    let Waiting { rig, id, items, .. } = &waiting;
    let [a, b, c] = *items;
    let me = client();
    let command = MutationCommand {
        client_id: me,
        ..anonymous()
    };
    let edits = vec![
        QueueEdit::Move {
            queue_item_id: c,
            position: 0,
        },
        QueueEdit::Edit {
            queue_item_id: a,
            content: Content::from("A"),
        },
        QueueEdit::Remove { queue_item_id: b },
        add("d", Some(1)),
        QueueEdit::Convert {
            queue_item_id: c,
            kind: QueueKind::Steer,
        },
    ];
    let answer = rewrite(rig, *id, command, 3, edits)
        .await
        .expect("rewritten");
    assert_eq!(texts(&answer.queue), ["c", "d", "A"]);
    assert_eq!(answer.queue_version, 4);
    assert_eq!(answer.queue[0].kind, QueueKind::Steer);
    assert_eq!(answer.queue[2].edited_by, Some(me));
    let log = rig.log(*id);
    let updates = log.all("queue_update");
    assert_eq!(updates.len(), 4);
    assert_eq!(text(updates[3], "clientId"), me.to_string());
    assert_eq!(updates[3]["ops"].as_array().expect("ops").len(), 5);
}

#[tokio::test(start_paused = true)]
async fn another_version_is_a_conflict_with_the_queue_as_it_is() {
    let Waiting { rig, id, items, .. } = Waiting::new().await;
    let remove = |queue_item_id| vec![QueueEdit::Remove { queue_item_id }];
    rewrite(&rig, id, anonymous(), 3, remove(items[0]))
        .await
        .expect("rewritten");
    let refused = rewrite(&rig, id, anonymous(), 3, remove(items[1])).await;
    match refused.expect_err("refused") {
        error @ SessionError::QueueChanged { .. } => {
            assert_eq!(error.code(), ErrorCode::Conflict);
            let SessionError::QueueChanged { version, items } = error else {
                unreachable!()
            };
            assert_eq!(version, 4);
            assert_eq!(texts(&items), ["b", "c"]);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn one_operation_that_does_not_apply_keeps_all_from_it() {
    let Waiting { rig, id, items, .. } = Waiting::new().await;
    let gone = QueueItemId::generate();
    for last in [
        QueueEdit::Remove {
            queue_item_id: gone,
        },
        // Removed by the first operation.
        QueueEdit::Move {
            queue_item_id: items[0],
            position: 0,
        },
    ] {
        let edits = vec![
            QueueEdit::Remove {
                queue_item_id: items[0],
            },
            last,
        ];
        let refused = rewrite(&rig, id, anonymous(), 3, edits).await;
        assert_eq!(
            refused.expect_err("refused").code(),
            ErrorCode::InvalidParams
        );
    }
    let session = rig.lane(id).await.session().expect("there");
    assert_eq!(texts(&session.queue), ["a", "b", "c"]);
    assert_eq!(session.queue_version, 3);
}

#[tokio::test(start_paused = true)]
async fn a_retry_gets_the_first_answer_also_after_a_restart() {
    let Waiting {
        rig,
        id,
        mut follower,
        call,
        ..
    } = Waiting::new().await;
    let command_id: CommandId = "again".parse().expect("an id");
    let command = || {
        MutationCommand::new(
            ClientId::Daemon,
            Some(command_id.clone()),
            "rewriteQueue",
            &3,
        )
    };
    let edits = || vec![add("d", None)];
    let first = rewrite(&rig, id, command(), 3, edits())
        .await
        .expect("done");
    let retry = rewrite(&rig, id, command(), 3, edits())
        .await
        .expect("done");
    assert_eq!(retry, first);
    assert_eq!(texts(&retry.queue), ["a", "b", "c", "d"]);
    call.fail(provider_error(false)).await;
    follower.outcome().await;
    let again = rig.restarted();
    let retry = rewrite(&again, id, command(), 3, edits())
        .await
        .expect("done");
    assert_eq!(
        (retry.seq, retry.queue_version),
        (first.seq, first.queue_version)
    );
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_held_or_paused_starts_no_turn_until_it_goes_on() {
    let Waiting {
        rig,
        id,
        mut follower,
        call,
        ..
    } = Waiting::new().await;
    let pause = vec![QueueEdit::Pause {}];
    rewrite(&rig, id, anonymous(), 3, pause)
        .await
        .expect("paused");
    call.answer("1").await;
    assert_eq!(follower.outcome().await, "completed");
    let session = rig.check(id).await.fold().state;
    assert!(session.queue.paused);
    let hold = QueueEdit::Add {
        kind: QueueKind::Steer,
        content: Content::from("d"),
        position: None,
        hold: Some(true),
    };
    let held = rewrite(&rig, id, anonymous(), session.queue.version, vec![hold]).await;
    let held = held.expect("held");
    assert_eq!(held.queue[3].kind, QueueKind::FollowUp, "no turn reads it");
    let version = held.queue_version;
    let more = rewrite(&rig, id, anonymous(), version, vec![add("e", None)]).await;
    rig.say(id, "f").await;
    assert!(rig.lane(id).await.session().expect("there").queue_paused);
    let again = rig.crashed();
    assert!(again.lane(id).await.session().expect("there").queue_paused);
    let version = more.expect("added").queue_version + 1;
    let resume = vec![QueueEdit::Resume {}];
    rewrite(&rig, id, anonymous(), version, resume)
        .await
        .expect("resumed");
    for answer in ["2", "3", "4", "5", "6", "7"] {
        rig.model().await.answer(answer).await;
        assert_eq!(follower.outcome().await, "completed");
    }
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_added_to_an_idle_session_starts_a_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rewrite(&rig, id, anonymous(), 0, vec![add("one", None)])
        .await
        .expect("added");
    rig.model().await.answer("1").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn the_queue_keeps_its_limits() {
    let Waiting { rig, id, .. } = Waiting::new().await;
    let many = (0..98).map(|_| add("x", None)).collect();
    let refused = rewrite(&rig, id, anonymous(), 3, many).await;
    assert_eq!(refused.expect_err("full").code(), ErrorCode::Overloaded);
    let large = "x".repeat(2 * 1024 * 1024);
    rewrite(&rig, id, anonymous(), 3, vec![add(&large, None)])
        .await
        .expect("there is room");
    let refused = rewrite(&rig, id, anonymous(), 4, vec![add(&large, None)]).await;
    assert_eq!(refused.expect_err("full").code(), ErrorCode::Overloaded);
    let refused = rig.send(id, message(&large)).await;
    assert_eq!(refused.expect_err("full").code(), ErrorCode::Overloaded);
}
