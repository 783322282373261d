//! A disk without room, and a disk that fails.

use std::io::ErrorKind;
use std::sync::Arc;

use scorel_journal::Durability;
use scorel_proto::{
    Anchors, ErrorCode, Phase, ProjectId, ResyncParams, Seq, SessionId, StopReason,
};
use scorel_session::SessionSettings;

use crate::disk::Disk;
use crate::follower::within;
use crate::log::text;
use crate::rig::{Rig, message, new_session, settings};

async fn session() -> (Disk, Rig, SessionId) {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let id = rig.session().await;
    (disk, rig, id)
}

#[tokio::test(start_paused = true)]
async fn a_message_without_room_is_refused_changes_nothing_and_can_be_sent_again() {
    let (disk, rig, id) = session().await;
    rig.exchange(id, "one").await;
    let before = rig.log(id).lines;
    disk.set_full(true);
    for _ in 0..3 {
        let refused = rig.send(id, message("two")).await.expect_err("refused");
        assert_eq!(refused.code(), ErrorCode::StorageStalled);
        assert!(refused.code().retryable());
    }
    assert_eq!(rig.log(id).lines, before);
    let lane = rig.lane(id).await;
    assert_eq!(lane.phase(), (Phase::Idle, None));
    lane.events(None, None, 10).await.expect("reading works");
    rig.follow(id).await;
    disk.set_full(false);
    rig.exchange(id, "two").await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_running_turn_without_room_is_refused_and_the_turn_goes_on() {
    let (disk, rig, id) = session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    disk.set_full(true);
    let refused = rig.send(id, message("two")).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::StorageStalled);
    disk.set_full(false);
    call.answer("1").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_room_waits_in_memory_and_is_recorded_once_there_is_room() {
    let (disk, rig, id) = session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    let long = "an answer ".repeat(20_000);
    call.text(&long).await;
    follower.until("text_delta").await;
    disk.set_full(true);
    call.done(StopReason::EndTurn).await;
    let lane = rig.lane(id).await;
    while lane.storage_stall().is_none() {
        disk.refuses(1).await;
    }
    let session = lane.session().expect("readable");
    assert_eq!(session.phase, Phase::Running);
    let problem = session.problem.expect("a problem");
    assert!(
        problem.starts_with("the log cannot be written"),
        "{problem}"
    );
    let stall = session.storage_stalled.expect("stalled");
    assert_eq!(
        rig.sessions.overview().active[0].storage_stalled,
        Some(stall.clone())
    );
    let unsaved = stall.unsaved.expect("a record");
    assert_eq!(unsaved.kind, "message");
    assert!(unsaved.bytes > long.len() as u64);
    lane.events(None, None, 10).await.expect("readable");
    disk.set_full(false);
    assert_eq!(follower.outcome().await, "completed");
    rig.model().await.answer("2").await;
    assert_eq!(follower.outcome().await, "completed", "the queue went on");
    let session = lane.session().expect("readable");
    assert_eq!((session.problem, session.storage_stalled), (None, None));
    let log = rig.check(id).await;
    let answer = &log.all("assistant")[0]["message"]["content"][0];
    assert_eq!(text(answer, "text"), long);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_during_a_stall_loses_nothing_that_was_finished() {
    let (disk, rig, id) = session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    disk.set_full(true);
    call.answer("a finished answer").await;
    let lane = rig.lane(id).await;
    // The spool is refused too, before the answer.
    while lane.storage_stall().is_none() {
        disk.refuses(1).await;
    }
    assert!(lane.cancel(None));
    assert_eq!(lane.phase().0, Phase::Cancelling);
    let unsaved = lane.storage_stall().and_then(|stall| stall.unsaved);
    assert_eq!(unsaved.expect("a record").kind, "message");
    disk.refuses(1).await;
    disk.set_full(false);
    follower.outcome().await;
    let log = rig.check(id).await;
    let answer = &log.only("assistant")["message"]["content"][0];
    assert_eq!(text(answer, "text"), "a finished answer");
}

#[tokio::test(start_paused = true)]
async fn a_session_can_be_read_and_followed_while_its_disk_syncs_a_record() {
    let (disk, rig, id) = session().await;
    rig.exchange(id, "one").await;
    let follower = rig.follow(id).await;
    let mut hold = disk.hold_next_record();
    let lane = rig.lane(id).await;
    let sending = Arc::clone(&lane);
    let sent = tokio::spawn(async move { sending.mutate(message("two")).await });
    hold.entered().await;
    let before = lane.session().expect("described");
    assert_eq!(before.phase, Phase::Idle);
    assert_eq!(rig.sessions.overview().active, []);
    lane.tree(Seq::ZERO, 10).expect("a tree");
    within(lane.events(None, None, 10)).await.expect("events");
    for anchors in [Anchors::default(), follower.anchors] {
        let params = ResyncParams {
            session_id: id,
            persistent_last_seq: Some(anchors.persistent_last_seq),
            stream_last_seq: anchors.stream_last_seq,
            persistent_last_id: None,
            page: None,
        };
        let page = within(rig.sessions.resync(params)).await.expect("a page");
        assert_eq!(page.current_seq, before.current_seq);
    }
    let subscribed = within(rig.sessions.subscribe(id, Anchors::default())).await;
    let mut subscriber = subscribed.expect("subscribed");
    let first = within(subscriber.next_batch()).await.expect("a batch");
    assert!(first.is_some());
    drop(hold);
    within(sent).await.expect("no panic").expect("sent");
    rig.model().await.answer("2").await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_has_one_outcome_however_much_room_there_is() {
    // The last appends of the first turn: its answer, its outcome, the next message.
    for room in 0..4 {
        let (disk, rig, id) = session().await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "one").await;
        let call = rig.model().await;
        rig.say(id, "two").await;
        disk.full_after(room);
        call.answer("1").await;
        if room < 3 {
            disk.refuses(2).await;
        }
        disk.set_full(false);
        assert_eq!(follower.outcome().await, "completed");
        rig.model().await.answer("2").await;
        assert_eq!(follower.outcome().await, "completed", "the queue went on");
        let log = rig.check(id).await;
        assert_eq!(log.reasons().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn results_without_room_wait_and_the_turn_goes_on_with_its_other_tools() {
    let (disk, rig, id) = session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model()
        .await
        .tools(&[("c1", "look"), ("c2", "peek"), ("c3", "write")])
        .await;
    let (first, second) = (rig.tool().await, rig.tool().await);
    disk.set_full(true);
    first.end("one");
    disk.refuses(2).await;
    second.end("two");
    disk.refuses(1).await;
    disk.set_full(false);
    rig.tool().await.end("three");
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let contents: Vec<&str> = log
        .all("tool_result")
        .iter()
        .map(|result| text(&result["message"]["content"][0]["content"][0], "text"))
        .collect();
    assert_eq!(contents, ["one", "two", "three"]);
}

#[tokio::test(start_paused = true)]
async fn cancelling_works_without_room() {
    let (disk, rig, id) = session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    disk.set_full(true);
    assert!(rig.lane(id).await.cancel(None));
    call.ended().await;
    disk.refuses(2).await;
    disk.set_full(false);
    assert_eq!(follower.outcome().await, "cancelled");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_be_recovered_yet_can_be_read() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "one").await;
    let _call = rig.model().await;
    rig.say(id, "two").await;
    let disk = Disk::new();
    disk.set_full(true);
    let crashed = rig.crashed().restarted_on(disk.storage());
    let lane = crashed.lane(id).await;
    assert_eq!(
        lane.events(None, None, 10)
            .await
            .expect("readable")
            .events
            .len(),
        3
    );
    let mut follower = crashed.follow(id).await;
    let refused = crashed
        .send(id, message("three"))
        .await
        .expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::StorageStalled);
    disk.refuses(2).await;
    disk.set_full(false);
    assert_eq!(follower.outcome().await, "interrupted");
    crashed.say(id, "three").await;
    for answer in ["2", "3"] {
        crashed.model().await.answer(answer).await;
        follower.outcome().await;
    }
    crashed.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_be_described_is_not_made() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let new = new_session(ProjectId::generate(), Some("a title"));
    // Without room for the header, then without room for the title.
    for room in [0, 1] {
        disk.full_after(room);
        let refused = rig.sessions.create(new.clone()).await.expect_err("refused");
        assert_eq!(refused.code(), ErrorCode::StorageStalled);
        disk.set_full(false);
    }
    let listed = rig
        .sessions
        .list(Default::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!(listed.len(), 0);
    let listed = rig
        .restarted()
        .sessions
        .list(Default::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!(listed.len(), 0);
    rig.sessions.create(new).await.expect("made");
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_disk_fails_to_sync_fails_and_others_go_on() {
    let disk = Disk::new();
    let synced = SessionSettings {
        durability: Durability::Sync,
        ..settings()
    };
    let rig = Rig::on_disk_with(disk.storage(), synced);
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let before = rig.lane(id).await.session().expect("there").current_seq;
    let mut follower = rig.follow(id).await;
    disk.fail_syncs();
    let refused = rig.send(id, message("two")).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::SessionFailed);
    let end = follower.until("end").await;
    assert_eq!(end["reason"], "failed");
    assert_eq!(
        follower.anchors.stream_last_seq,
        Some(before),
        "nothing unsynced was shown"
    );
    let lane = rig.lane(id).await;
    assert_eq!(lane.session().expect("there").phase, Phase::Failed);
    lane.events(None, None, 10).await.expect("reading works");
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_sync_failed_waits_until_the_log_can_be_copied() {
    for kind in [ErrorKind::ReadOnlyFilesystem, ErrorKind::StorageFull] {
        let disk = Disk::new();
        let synced = SessionSettings {
            durability: Durability::Sync,
            ..settings()
        };
        let rig = Rig::on_disk_with(disk.storage(), synced);
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "one").await;
        let call = rig.model().await;
        disk.fail_syncs_and_copies(kind);
        call.answer("a finished answer").await;
        let lane = rig.lane(id).await;
        while lane.storage_stall().is_none() {
            disk.refuses(1).await;
        }
        assert_eq!(lane.phase().0, Phase::Running, "{kind}");
        let refused = rig.send(id, message("two")).await.expect_err("refused");
        assert_eq!(refused.code(), ErrorCode::StorageStalled, "{kind}");
        disk.mend();
        assert_eq!(follower.outcome().await, "completed", "{kind}");
        let log = rig.check(id).await;
        let answer = &log.only("assistant")["message"]["content"][0];
        assert_eq!(text(answer, "text"), "a finished answer");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_could_not_be_created_leaves_no_directory() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let new = new_session(ProjectId::generate(), Some("new"));
    let sessions = rig.home().join("sessions");
    for records in [0, 1] {
        disk.full_after(records);
        let refused = rig.sessions.create(new.clone()).await.expect_err("full");
        assert_eq!(refused.code(), ErrorCode::StorageStalled);
        let left = std::fs::read_dir(&sessions).expect("readable").count();
        assert_eq!(left, 0, "after {records} records");
    }
    disk.set_full(false);
    rig.sessions.create(new).await.expect("created");
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_outcome_cannot_be_written_yet_can_be_cancelled_and_blocks_a_deletion() {
    let (disk, rig, id) = session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    // The answer fits, the outcome does not.
    disk.full_after(1);
    call.answer("1").await;
    disk.refuses(2).await;
    let refused = rig.sessions.delete(id).await.expect_err("busy");
    assert_eq!(refused.code(), ErrorCode::AgentTaskBusy);
    let lane = rig.lane(id).await;
    assert!(lane.cancel(Some(turn)), "the turn takes the signal");
    assert_eq!(lane.phase(), (Phase::Cancelling, Some(turn)));
    disk.set_full(false);
    // The answer is whole, but the next turn does not follow a cancel.
    assert_eq!(follower.outcome().await, "cancelled");
    let log = rig.check(id).await;
    assert_eq!(log.only("assistant")["message"]["stopReason"], "end_turn");
    let session = lane.session().expect("there");
    assert_eq!((session.queue.len(), session.queue_paused), (1, true));
}
