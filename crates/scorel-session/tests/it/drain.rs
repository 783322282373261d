//! Stopping.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{ErrorCode, Phase, StopReason};

use crate::disk::Disk;
use crate::permission::{asking, next, question, request};
use crate::rig::{Rig, message};

const GRACE: Duration = Duration::from_secs(10);

#[tokio::test(start_paused = true)]
async fn a_turn_is_interrupted_and_its_text_is_kept() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    rig.say(id, "two").await;
    call.text("half an answer").await;
    follower.until("text_delta").await;
    assert!(rig.sessions.drain(GRACE).await);
    assert_eq!(follower.outcome().await, "interrupted");
    assert_eq!(follower.until("end").await["reason"], "shutting_down");
    assert_eq!(follower.try_next().await, None);
    let log = rig.log(id);
    log.check();
    let kept = &log.only("assistant")["message"];
    assert_eq!(kept["content"][0]["text"], "half an answer");
    assert_eq!(
        (&kept["partial"], &kept["stopReason"]),
        (&true.into(), &"interrupted".into())
    );
    assert_eq!(log.all("user").len(), 1, "no further turn begins");

    let refused = rig.send(id, message("three")).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::ShuttingDown);
    let again = rig.restarted();
    assert_eq!(
        again.lane(id).await.session().expect("there").queue.len(),
        1
    );
    again.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_the_stop_prevents_says_so() {
    for cancelled in [false, true] {
        let rig = Rig::new();
        let id = rig.session().await;
        rig.begin(id, "one").await;
        let calls = [("c1", "write"), ("c2", "write")];
        rig.model().await.tools(&calls).await;
        let run = rig.tool().await;
        if cancelled {
            let lane = rig.lane(id).await;
            assert!(lane.cancel(None));
        }
        let sessions = Arc::clone(&rig.sessions);
        let drain = tokio::spawn(async move { sessions.drain(GRACE).await });
        run.interrupted().await;
        tokio::task::yield_now().await;
        run.end("written");
        assert!(drain.await.expect("no panic"));
        let log = rig.log(id);
        let refused = &log.all("tool_result")[1]["message"]["content"][0]["content"][0]["text"];
        let (text, outcome) = if cancelled {
            ("Cancelled by user", "cancelled")
        } else {
            ("not run: the daemon stopped", "interrupted")
        };
        assert_eq!(refused, text);
        assert_eq!(log.reasons(), [outcome]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_does_not_end_is_waited_for_as_long_as_the_grace_lasts() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "one").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    assert!(!rig.sessions.drain(GRACE).await);
    run.interrupted().await;
    let crashed = rig.crashed();
    crashed.lane(id).await;
    assert_eq!(crashed.check(id).await.reasons(), ["interrupted"]);
    run.end("too late");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_accepted_while_the_daemon_stops_has_an_outcome() {
    for yields in 0..12 {
        let rig = Rig::new();
        let id = rig.session().await;
        let lane = rig.lane(id).await;
        let send = tokio::spawn(async move { lane.mutate(message("one")).await });
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
        assert!(rig.sessions.drain(GRACE).await);
        let sent = send.await.expect("no panic");
        let log = rig.log(id);
        log.check();
        match sent {
            Ok(_) => assert_eq!(log.reasons(), ["interrupted"]),
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::ShuttingDown);
                assert_eq!(log.records.len(), 0);
            }
        }
    }
}

/// The stop comes at another moment in each round.
#[tokio::test(start_paused = true)]
async fn a_stop_while_a_turn_takes_up_its_question_leaves_it_open() {
    for yields in 0..100 {
        let (rig, id, turn) = asking(question()).await;
        let asked = request(&rig, id).await;
        let again = next(&rig);
        again.lane(id).await;
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
        assert!(again.sessions.drain(GRACE).await);
        let again = next(&again);
        let lane = again.lane(id).await;
        assert_eq!(lane.phase(), (Phase::AwaitingPermission, Some(turn)));
        assert_eq!(request(&again, id).await, asked);
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_being_written_when_the_daemon_stops_is_waited_for() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    let mut hold = disk.hold_next_record();
    let send = tokio::spawn(async move { lane.mutate(message("one")).await });
    hold.entered().await;
    let sessions = Arc::clone(&rig.sessions);
    let drain = tokio::spawn(async move { sessions.drain(GRACE).await });
    tokio::task::yield_now().await;
    drop(hold);
    // The message is written, and its turn is about to have its outcome.
    let mut hold = disk.hold_next_record();
    hold.entered().await;
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    assert!(!drain.is_finished(), "the outcome is not written");
    drop(hold);
    assert!(drain.await.expect("no panic"));
    send.await.expect("no panic").expect("accepted");
    let log = rig.log(id);
    log.check();
    assert_eq!(log.reasons(), ["interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn stopping_does_not_wait_for_room_on_the_disk() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let id = rig.session().await;
    rig.begin(id, "one").await;
    let call = rig.model().await;
    call.text("x").await;
    disk.set_full(true);
    call.done(StopReason::EndTurn).await;
    disk.refuses(2).await;
    assert!(rig.sessions.drain(GRACE).await);
    let again = rig.restarted();
    again.lane(id).await;
    assert_eq!(again.check(id).await.reasons(), ["interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_after_the_stop_does_not_count_for_a_question_that_stays_open() {
    let (rig, id, turn) = asking(question()).await;
    let lane = rig.lane(id).await;
    let cancel = async { lane.cancel(Some(turn)) };
    let (drained, cancelled) = tokio::join!(rig.sessions.drain(GRACE), cancel);
    assert!(drained && !cancelled);
    let again = next(&rig);
    let lane = again.lane(id).await;
    assert_eq!(lane.phase(), (Phase::AwaitingPermission, Some(turn)));
}
