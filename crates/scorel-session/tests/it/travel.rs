//! Moving the leaf: `rewind`, `branch`, and messages that are edited and sent again.

use std::sync::Arc;

use scorel_journal::{ContinueAt, Durability, FileStorage, Journal};
use scorel_proto::{
    ClientId, CompactBody, CompactionFacts, CompactionId, CompactionTrigger, ErrorCode, EventId,
    PersistentBody, PersistentEvent, Phase, Seq, SessionId, TreePlacement,
};
use scorel_session::{
    LeafTarget, MoveLeaf, MutationCommand, SendRequest, SessionError, TargetProblem,
};

use crate::log::text;
use crate::rig::{Rig, client, message};

/// A session with finished turns, and where each ended.
pub(crate) async fn turns(rig: &Rig, texts: &[&str]) -> (SessionId, Vec<EventId>) {
    let id = rig.session().await;
    let mut ends = Vec::new();
    for text in texts {
        rig.exchange(id, text).await;
        ends.push(leaf(rig, id).await.expect("a leaf"));
    }
    (id, ends)
}

pub(crate) async fn leaf(rig: &Rig, id: SessionId) -> Option<EventId> {
    rig.lane(id).await.session().expect("there").active_leaf_id
}

pub(crate) fn plain() -> MutationCommand {
    MutationCommand::new(ClientId::Daemon, None, "rewind", &())
}

pub(crate) async fn rewind(
    rig: &Rig,
    id: SessionId,
    target: Option<EventId>,
    expected: Option<EventId>,
) -> Result<Seq, SessionError> {
    let lane = rig.lane(id).await;
    lane.mutate(MoveLeaf {
        command: plain(),
        target: LeafTarget::Ancestor(target),
        expected_leaf: expected,
    })
    .await
}

async fn branch(
    rig: &Rig,
    id: SessionId,
    leaf: EventId,
    expected: Option<EventId>,
) -> Result<Seq, SessionError> {
    rig.lane(id)
        .await
        .mutate(MoveLeaf {
            command: plain(),
            target: LeafTarget::Branch(leaf),
            expected_leaf: expected,
        })
        .await
}

fn problem(result: Result<Seq, SessionError>) -> TargetProblem {
    match result {
        Err(SessionError::InvalidTarget { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

/// Writes a summary of everything through `through` below the leaf, as a compaction would.
pub(crate) fn summarise(rig: &Rig, id: SessionId, through: EventId) -> EventId {
    let compact = CompactBody {
        summary: "what was said".to_owned(),
        compacted_through: through,
        keep: Vec::new(),
        tokens_before: 9,
        tokens_after: 1,
        compaction_id: CompactionId::generate(),
        trigger: CompactionTrigger::Manual,
        model: "m".to_owned(),
        usage: None,
        cost: None,
        facts: CompactionFacts::default(),
    };
    write(rig, id, PersistentBody::Compact(compact))
}

/// Writes a record into the log of a session that is not loaded.
pub(crate) fn write(rig: &Rig, id: SessionId, body: PersistentBody) -> EventId {
    let leaf = rig.log(id).fold().leaf();
    let storage = Arc::new(FileStorage);
    let opened = Journal::open(storage, &rig.dir(id), None, &mut |_| {}).expect("a log");
    let mut journal = opened.into_journal(ContinueAt::LastRecord, Durability::Flush);
    let mut event = PersistentEvent {
        id: EventId::generate(),
        parent_id: leaf.filter(|_| body.place() != TreePlacement::Control),
        seq: Seq::ZERO,
        session_id: id,
        client_id: ClientId::Daemon,
        ts: 0,
        turn_id: None,
        command_id: None,
        digest: None,
        origin: None,
        body,
        prev: None,
    };
    let appended = journal.append(|seq| {
        event.seq = seq;
        serde_json::to_vec(&event)
    });
    assert!(appended.is_ok());
    event.id
}

/// What the next request holds, for a message that is then answered.
pub(crate) async fn asked(rig: &Rig, id: SessionId, request: SendRequest) -> Vec<String> {
    let mut follower = rig.follow(id).await;
    rig.send(id, request).await.expect("accepted");
    let call = rig.model().await;
    let texts = call.request.messages.iter().map(said).collect();
    call.answer("done").await;
    follower.outcome().await;
    rig.lane(id).await.session().expect("there");
    texts
}

fn said(message: &scorel_proto::Message) -> String {
    let json = serde_json::to_value(message).expect("JSON");
    json["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_rewind_goes_back_and_a_branch_forward_again() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two", "three"]).await;
    let seq = rewind(&rig, id, Some(ends[0]), Some(ends[2]))
        .await
        .expect("moved");
    assert_eq!(leaf(&rig, id).await, Some(ends[0]));
    let log = rig.log(id);
    let record = log.only("rewind");
    assert_eq!(record["seq"], seq.get());
    assert_eq!(text(record, "targetEventId"), ends[0].to_string());
    assert_eq!(text(record, "parentId"), ends[2].to_string());
    let texts = asked(&rig, id, message("other")).await;
    assert_eq!(texts, ["one", "to one", "other"]);

    let other = leaf(&rig, id).await;
    branch(&rig, id, ends[2], other).await.expect("moved");
    assert_eq!(leaf(&rig, id).await, Some(ends[2]));
    let texts = asked(&rig, id, message("four")).await;
    let path = [
        "one", "to one", "two", "to two", "three", "to three", "four",
    ];
    assert_eq!(texts, path);

    let end = leaf(&rig, id).await;
    rewind(&rig, id, None, end).await.expect("emptied");
    assert_eq!(leaf(&rig, id).await, None);
    assert_eq!(asked(&rig, id, message("anew")).await, ["anew"]);
    rig.check(id).await;
    let restarted = rig.restarted();
    assert_eq!(leaf(&restarted, id).await, leaf(&rig, id).await);
    // Once for each move; a message that follows the leaf is none.
    assert_eq!(rig.script.moved.lock().expect("not poisoned").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_checks_come_in_the_order_of_the_page() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two", "three"]).await;
    rig.script.moved.lock().expect("not poisoned").clear();
    drop(rig.lane(id).await);
    let rig = rig.restarted();
    let compact = summarise(&rig, id, ends[1]);
    let wrong = EventId::generate();

    // Everything is wrong: a turn runs and a message waits.
    rig.begin(id, "four").await;
    let call = rig.model().await;
    rig.say(id, "five").await;
    for busy in [
        rewind(&rig, id, Some(wrong), Some(wrong)).await,
        branch(&rig, id, wrong, Some(wrong)).await,
    ] {
        let Err(SessionError::Busy { phase, queued }) = busy else {
            panic!("{busy:?}");
        };
        assert_eq!((phase, queued), (Phase::Running, 1));
    }
    let mut follower = rig.follow(id).await;
    call.answer("done").await;
    follower.outcome().await;
    rig.model().await.answer("done").await;
    follower.outcome().await;
    let end = rig.lane(id).await.session().expect("there").active_leaf_id;

    for moved in [
        rewind(&rig, id, Some(wrong), Some(wrong)).await,
        branch(&rig, id, wrong, None).await,
    ] {
        let Err(SessionError::LeafMoved { active }) = moved else {
            panic!("{moved:?}");
        };
        assert_eq!(active, end);
    }
    assert_eq!(
        problem(rewind(&rig, id, Some(wrong), end).await),
        TargetProblem::Unknown
    );
    for target in [None, Some(ends[0]), Some(ends[1])] {
        let refused = rewind(&rig, id, target, end).await;
        let Err(SessionError::Summarised { compacted_through }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(compacted_through, ends[1]);
        let resend = SendRequest {
            parent_event_id: Some(target),
            ..message("again")
        };
        let code = rig.send(id, resend).await.expect_err("refused").code();
        assert_eq!(code, ErrorCode::CannotRewindPastCompact);
    }
    let before = rig.log(id).lines.len();
    // After the last summarised event, whole messages come back.
    rewind(&rig, id, Some(compact), end).await.expect("moved");
    rewind(&rig, id, Some(ends[2]), Some(compact))
        .await
        .expect("moved");
    assert_eq!(rig.log(id).lines.len(), before + 2);
    let texts = asked(&rig, id, message("six")).await;
    let whole = ["one", "to one", "two", "to two", "three", "to three", "six"];
    assert_eq!(texts, whole);
}

#[tokio::test(start_paused = true)]
async fn a_target_is_the_end_of_a_turn_where_the_method_goes() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two"]).await;
    rewind(&rig, id, Some(ends[0]), Some(ends[1]))
        .await
        .expect("moved");
    let user = rig.exchange(id, "other").await;
    let end = leaf(&rig, id).await;
    let active = end.expect("a leaf");
    for (target, found) in [
        (user, TargetProblem::NotTurnEnd),
        (active, TargetProblem::ActiveLeaf),
        (ends[1], TargetProblem::OtherBranch),
    ] {
        assert_eq!(problem(rewind(&rig, id, Some(target), end).await), found);
    }
    for (target, found) in [
        (user, TargetProblem::NotTurnEnd),
        (active, TargetProblem::ActiveLeaf),
        (ends[0], TargetProblem::SameBranch),
    ] {
        assert_eq!(problem(branch(&rig, id, target, end).await), found);
    }
    let empty = rig.session().await;
    assert_eq!(
        problem(rewind(&rig, empty, None, None).await),
        TargetProblem::ActiveLeaf
    );
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_queue_is_busy_too() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two"]).await;
    let turn = rig.begin(id, "three").await;
    let call = rig.model().await;
    rig.say(id, "four").await;
    let lane = rig.lane(id).await;
    let mut follower = rig.follow(id).await;
    assert!(lane.cancel(Some(turn)));
    call.ended().await;
    assert_eq!(follower.outcome().await, "cancelled");
    let end = leaf(&rig, id).await;
    let busy = rewind(&rig, id, Some(ends[0]), end).await;
    let Err(SessionError::Busy { phase, queued }) = busy else {
        panic!("{busy:?}");
    };
    assert_eq!((phase, queued), (Phase::Idle, 1));
}

#[tokio::test(start_paused = true)]
async fn of_two_clients_that_move_the_leaf_one_wins_and_the_other_learns_where_it_is() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two", "three"]).await;
    let mut end = leaf(&rig, id).await;
    let tip = ends[2];
    for round in 0..50 {
        let (a, b) = if end == Some(tip) {
            let pair = (
                rewind(&rig, id, Some(ends[0]), end),
                rewind(&rig, id, Some(ends[1]), end),
            );
            tokio::join!(pair.0, pair.1)
        } else {
            let resend = rewind(&rig, id, None, end);
            tokio::join!(branch(&rig, id, tip, end), resend)
        };
        end = leaf(&rig, id).await;
        let lost = match (a, b) {
            (Ok(_), Err(lost)) | (Err(lost), Ok(_)) => lost,
            other => panic!("round {round}: {other:?}"),
        };
        let SessionError::LeafMoved { active } = lost else {
            panic!("{lost:?}");
        };
        assert_eq!(active, end, "round {round}");
        if end.is_none() {
            branch(&rig, id, tip, None).await.expect("back");
            end = Some(tip);
        }
    }
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_move_is_made_once_however_often_it_is_asked_for() {
    let mut rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two"]).await;
    let me = client();
    let command = |name: &str, payload: &str| {
        let id = name.parse().expect("a command id");
        MutationCommand::new(me, Some(id), "rewind", &payload)
    };
    let (first, second) = (Some(ends[0]), Some(ends[1]));
    let mut answers = Vec::new();
    for _ in 0..3 {
        let lane = rig.lane(id).await;
        let back = lane
            .mutate(MoveLeaf {
                command: command("back", "a"),
                target: LeafTarget::Ancestor(first),
                expected_leaf: second,
            })
            .await;
        let forward = lane
            .mutate(MoveLeaf {
                command: command("forward", "b"),
                target: LeafTarget::Branch(ends[1]),
                expected_leaf: first,
            })
            .await;
        answers.push((back.expect("moved"), forward.expect("moved")));
        let reused = lane
            .mutate(MoveLeaf {
                command: command("back", "other"),
                target: LeafTarget::Ancestor(None),
                expected_leaf: second,
            })
            .await;
        assert_eq!(reused.expect_err("reused").code(), ErrorCode::Conflict);
        // Killed right behind it.
        rig = rig.crashed();
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    let log = rig.check(id).await;
    assert_eq!((log.all("rewind").len(), log.all("branch").len()), (1, 1));
    assert_eq!(leaf(&rig, id).await, second);
}

#[tokio::test(start_paused = true)]
async fn an_edited_message_takes_the_place_of_the_one_before() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two"]).await;
    let request = |expected| SendRequest {
        parent_event_id: Some(Some(ends[0])),
        expected_leaf_id: Some(expected),
        ..message("two, better")
    };
    let stale = rig.send(id, request(Some(ends[0]))).await;
    assert!(matches!(stale, Err(SessionError::LeafMoved { .. })));
    let texts = asked(&rig, id, request(Some(ends[1]))).await;
    assert_eq!(texts, ["one", "to one", "two, better"]);
    let edited = leaf(&rig, id).await;
    assert_ne!(edited, Some(ends[1]));
    // Both versions are there.
    branch(&rig, id, ends[1], edited).await.expect("moved");
    rig.check(id).await;
    assert_eq!(rig.script.moved.lock().expect("not poisoned").len(), 2);
}
