//! A disk without room, and a disk that fails.

use scorel_journal::Durability;
use scorel_proto::{ClientId, ErrorCode, Phase, ProjectId, SessionId, SessionKind, StopReason};
use scorel_session::{NewSession, SessionSettings};

use crate::disk::Disk;
use crate::log::text;
use crate::rig::{Rig, message, settings};

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
async fn a_turn_without_room_for_its_answer_ends_by_itself_once_there_is_room() {
    let (disk, rig, id) = session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    call.text("an answer").await;
    follower.until("text_delta").await;
    disk.set_full(true);
    call.done(StopReason::EndTurn).await;
    disk.refuses(5).await;
    disk.set_full(false);
    assert_eq!(follower.outcome().await, "error");
    let shown = follower.names();
    let count = |wanted: &str| shown.iter().filter(|name| *name == wanted).count();
    assert_eq!(
        (
            count("message_cancelled"),
            count("runtime_end"),
            count("turn_outcome")
        ),
        (1, 1, 1)
    );
    assert_eq!(shown[shown.len() - 2], "runtime_end");
    let log = rig.check(id).await;
    assert_eq!(
        text(&log.only("turn_outcome")["error"], "code"),
        "storage_stalled"
    );
    let session = rig.lane(id).await.session().expect("there");
    assert!(session.queue_paused, "an error pauses the queue");
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
        let first = follower.outcome().await;
        assert_eq!(first, if room == 0 { "error" } else { "completed" });
        if room > 0 {
            rig.model().await.answer("2").await;
            assert_eq!(follower.outcome().await, "completed", "the queue went on");
        }
        let log = rig.check(id).await;
        assert_eq!(log.reasons().len(), 1 + usize::from(room > 0));
    }
}

#[tokio::test(start_paused = true)]
async fn running_tools_finish_when_there_is_no_room_for_their_results() {
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
    disk.refuses(1).await;
    second.interrupted().await;
    second.end("two");
    disk.refuses(1).await;
    disk.set_full(false);
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    let contents: Vec<&str> = log
        .all("tool_result")
        .iter()
        .map(|result| text(&result["message"]["content"][0]["content"][0], "text"))
        .collect();
    assert!(contents[0].starts_with("started, outcome unknown: the turn failed"));
    assert!(contents[2].starts_with("not started"));
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
    let new = NewSession {
        project_id: ProjectId::generate(),
        kind: SessionKind::User,
        parent: None,
        client_id: ClientId::Daemon,
        title: Some("a title".to_owned()),
        model: None,
        thinking_level: None,
        tools: None,
    };
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
