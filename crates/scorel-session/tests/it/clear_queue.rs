//! `cancel` with `clearQueue`: a mutation with an author and a receipt.

use std::time::Duration;

use scorel_proto::{CancelResult, ClientId, CommandId, ErrorCode, Phase, SessionId, TurnId};
use scorel_session::{CancelAndClear, Lane, MutationCommand, SessionError};
use serde_json::json;

use crate::disk::Disk;
use crate::rig::{Rig, client};

fn stop(client: ClientId, id: &str, expected: Option<TurnId>) -> MutationCommand {
    let id: CommandId = id.parse().expect("a command id");
    MutationCommand::new(client, Some(id), "cancel", &expected)
}

async fn cancel(
    lane: &std::sync::Arc<Lane>,
    by: MutationCommand,
    turn: Option<TurnId>,
) -> CancelResult {
    let cancelled = lane
        .mutate(CancelAndClear {
            command: by,
            expected: turn,
            clears: true,
            stops_children: false,
        })
        .await;
    cancelled.expect("answered")
}

/// A session with a turn that was cancelled together with two waiting messages.
async fn cancelled(rig: &Rig, me: ClientId) -> (SessionId, TurnId, CancelResult) {
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    rig.say(id, "three").await;
    let lane = rig.lane(id).await;
    let answer = cancel(&lane, stop(me, "stop", Some(turn)), Some(turn)).await;
    call.ended().await;
    assert_eq!(follower.outcome().await, "cancelled");
    (id, turn, answer)
}

#[tokio::test(start_paused = true)]
async fn the_record_names_the_caller_the_items_and_the_turn() {
    let rig = Rig::new();
    let me = client();
    let (id, turn, answer) = cancelled(&rig, me).await;
    let log = rig.check(id).await;
    let record = log.all("queue_update")[2];
    assert!(answer.cancelled);
    assert_eq!(record["seq"], json!(answer.seq));
    assert_eq!(record["clientId"], json!(me));
    assert_eq!(record["commandId"], "stop");
    assert_eq!(record["cancelTurnId"], json!(turn));
    assert_eq!(record["ops"].as_array().expect("ops").len(), 2);
    let outcome = log.only("turn_outcome")["seq"].as_u64();
    assert!(record["seq"].as_u64() < outcome, "it is written first");
}

#[tokio::test(start_paused = true)]
async fn a_retry_gets_the_first_answer_and_signals_nothing() {
    let rig = Rig::new();
    let me = client();
    let (id, turn, first) = cancelled(&rig, me).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "four").await;
    let call = rig.model().await;
    rig.say(id, "five").await;
    let lane = rig.lane(id).await;
    let again = cancel(&lane, stop(me, "stop", Some(turn)), Some(turn)).await;
    assert_eq!(again, first);
    assert_eq!(lane.session().expect("there").queue.len(), 1);
    let other = lane
        .mutate(CancelAndClear {
            command: stop(me, "stop", None),
            expected: None,
            clears: true,
            stops_children: false,
        })
        .await;
    assert_eq!(other.expect_err("refused").code(), ErrorCode::Conflict);
    call.answer("4").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.model().await.answer("5").await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn a_restart_keeps_the_answer_and_clears_nothing_newer() {
    let rig = Rig::new();
    let me = client();
    let (id, turn, first) = cancelled(&rig, me).await;
    let from_log = rig.crashed();
    rig.sessions.drain(Duration::from_secs(5)).await;
    let from_checkpoint = rig.crashed();
    assert!(!from_log.dir(id).join("checkpoint").exists());
    assert!(from_checkpoint.dir(id).join("checkpoint").exists());
    for again in [from_log, from_checkpoint] {
        let before = again.log(id).lines;
        let lane = again.lane(id).await;
        let answer = cancel(&lane, stop(me, "stop", Some(turn)), Some(turn)).await;
        assert_eq!(answer, first);
        assert_eq!(again.log(id).lines, before);
        // What came since then stays.
        let newer = again.begin(id, "newer").await;
        let _call = again.model().await;
        again.say(id, "queued").await;
        let answer = cancel(&lane, stop(me, "stop", Some(turn)), Some(turn)).await;
        assert_eq!(answer, first);
        assert_eq!(lane.phase(), (Phase::Running, Some(newer)));
        assert_eq!(lane.session().expect("there").queue.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_queue_leaves_a_receipt_too() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let (me, lane) = (client(), rig.lane(id).await);
    let first = cancel(&lane, stop(me, "stop", None), None).await;
    assert!(!first.cancelled && first.seq.is_some());
    assert_eq!(cancel(&lane, stop(me, "stop", None), None).await, first);
    let log = rig.check(id).await;
    let record = log.only("queue_update");
    assert_eq!(record["ops"], json!([]));
    assert_eq!(record.get("cancelTurnId"), None);
}

#[tokio::test(start_paused = true)]
async fn another_turn_than_the_expected_one_and_its_queue_stay() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    let before = rig.log(id).lines;
    let (me, lane, other) = (client(), rig.lane(id).await, TurnId::generate());
    let missed = cancel(&lane, stop(me, "stop", Some(other)), Some(other)).await;
    assert_eq!((missed.cancelled, missed.seq), (false, None));
    assert_eq!(rig.log(id).lines, before, "not even a receipt");
    let mut follower = rig.follow(id).await;
    call.answer("1").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.model().await.answer("2").await;
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_keeps_the_queue_and_the_signal_stands() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    disk.set_full(true);
    let (me, lane) = (client(), rig.lane(id).await);
    let refused = lane
        .mutate(CancelAndClear {
            command: stop(me, "stop", Some(turn)),
            expected: Some(turn),
            clears: true,
            stops_children: false,
        })
        .await;
    let refused = refused.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::StorageStalled);
    let text = refused.to_string();
    assert!(
        text.starts_with("the turn is cancelled, but the queue could not be cleared: "),
        "{text}"
    );
    let SessionError::CancelNotRecorded(unrecorded) = refused else {
        panic!("{refused:?}");
    };
    assert!(unrecorded.cancelled, "the turn took the signal");
    call.ended().await;
    disk.refuses(2).await;
    disk.set_full(false);
    assert_eq!(follower.outcome().await, "cancelled");
    assert_eq!(lane.session().expect("there").queue.len(), 1);
    // The command took no effect, so a retry is a new attempt.
    let again = cancel(&lane, stop(me, "stop", Some(turn)), Some(turn)).await;
    assert!(!again.cancelled && again.seq.is_some());
    assert_eq!(lane.session().expect("there").queue.len(), 0);
}
