//! Turns that stop at a step boundary, for the next daemon.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{OnRestart, Phase, SessionChanges, SessionId, StopReason};
use scorel_session::{MutationCommand, SessionSettings, UpdateRequest};
use tokio::task::JoinHandle;

use crate::disk::Disk;
use crate::log::{Log, text};
use crate::permission::{asking, next, question, request};
use crate::rig::{Rig, client, settings};
use crate::stage::{limited, provider_error};
use crate::wall::{FakeWall, NOON};

const PATIENCE: Duration = Duration::from_secs(20);
const GRACE: Duration = Duration::from_secs(8);

/// How long a parked turn waits.
const PARK_TIME: Duration = Duration::from_secs(600);

/// Parks, as the daemon does before a restart. Returns whether every turn left in time.
fn park(rig: &Rig) -> JoinHandle<bool> {
    let sessions = Arc::clone(&rig.sessions);
    tokio::spawn(async move {
        let left = sessions.park(PATIENCE).await;
        sessions.drain(GRACE).await;
        left
    })
}

/// A session whose turn has made its first model call.
async fn called() -> (Rig, SessionId, crate::stage::ModelCall) {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    (rig, id, call)
}

/// Has the next daemon end the turn with an answer.
async fn goes_on(rig: &Rig, id: SessionId) -> Log {
    let again = rig.restarted();
    again.sessions.clone().recover().await;
    let mut follower = again.follow(id).await;
    again.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    again.check(id).await
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_shown_nothing_is_dropped_and_made_again() {
    let wall = FakeWall::new();
    let rig = Rig::with(wall.settings());
    let id = rig.session().await;
    let turn = rig.begin(id, "go").await;
    let call = rig.model().await;
    assert!(park(&rig).await.expect("no panic"));
    call.ended().await;
    let waiting = rig.log(id);
    let record = waiting.only("turn_waiting");
    assert_eq!(record["kind"], "restart");
    assert_eq!(record["turnId"], turn.to_string());
    let until = NOON + 600_000;
    assert!((until..until + 1_000).contains(&record["until"].as_u64().expect("a moment")));
    assert_eq!(rig.lane(id).await.phase(), (Phase::Waiting, Some(turn)));

    let again = rig.restarted_with(wall.settings());
    again.lane(id).await;
    let mut follower = again.follow(id).await;
    again.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(
        again.check(id).await.outline()[2..],
        ["turn_waiting", "turn_resumed", "assistant", "turn_outcome"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_taken_up_while_the_daemon_parks_is_parked_again() {
    let (rig, id, _call) = called().await;
    assert!(park(&rig).await.expect("no panic"));
    let disk = Disk::new();
    let next = rig.restarted_on(disk.storage());
    let mut hold = disk.hold_next_record();
    let recovery = tokio::spawn(Arc::clone(&next.sessions).recover());
    hold.entered().await;
    let parking = park(&next);
    tokio::task::yield_now().await;
    drop(hold);
    assert!(parking.await.expect("no panic"));
    recovery.await.expect("no panic");
    assert!(next.log(id).reasons().is_empty(), "no outcome");
    goes_on(&next, id).await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_read_while_the_daemon_stops_is_left_to_the_next_one() {
    for is_parked in [false, true] {
        let (rig, id, _call) = called().await;
        let resuming = SessionSettings {
            on_restart: OnRestart::Resume,
            ..settings()
        };
        let next = if is_parked {
            assert!(park(&rig).await.expect("no panic"));
            rig.restarted()
        } else {
            rig.crashed().restarted_with(resuming.clone())
        };
        let before = next.log(id).outline();
        assert!(park(&next).await.expect("no panic"));
        next.lane(id).await;
        assert_eq!(next.log(id).outline(), before, "nothing is recorded");
        let again = next.restarted_with(resuming);
        let mut follower = again.follow(id).await;
        again.model().await.answer("done").await;
        assert_eq!(follower.outcome().await, "completed");
        again.check(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_shown_comes_to_its_end() {
    let (rig, id, call) = called().await;
    let mut follower = rig.follow(id).await;
    call.text("half ").await;
    follower.until("text_delta").await;
    let parking = park(&rig);
    tokio::task::yield_now().await;
    call.text("and half").await;
    call.done(StopReason::EndTurn).await;
    assert!(parking.await.expect("no panic"));
    let log = rig.log(id);
    assert_eq!(log.reasons(), ["completed"]);
    assert_eq!(
        log.only("assistant")["message"]["content"][0]["text"],
        "half and half"
    );
    assert!(log.all("turn_waiting").is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_tools_of_an_answer_run_in_the_next_daemon() {
    let (rig, id, call) = called().await;
    let mut follower = rig.follow(id).await;
    call.text("I write").await;
    follower.until("text_delta").await;
    let parking = park(&rig);
    tokio::task::yield_now().await;
    for (block, id, name) in [(1, "c1", "write"), (2, "c2", "look")] {
        call.tool_begins(block, id, name, "{\"a\":1}").await;
    }
    call.done(StopReason::ToolUse).await;
    assert!(parking.await.expect("no panic"));
    assert!(rig.log(id).all("tool_started").is_empty());

    let again = rig.restarted();
    again.lane(id).await;
    for wanted in ["c1", "c2"] {
        let run = again.tool().await;
        assert_eq!(run.call.id, wanted);
        run.end("done");
    }
    let log = finished(&again, id).await;
    assert_eq!(log.all("tool_started").len(), 2);
}

async fn finished(rig: &Rig, id: SessionId) -> Log {
    let mut follower = rig.follow(id).await;
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await
}

#[tokio::test(start_paused = true)]
async fn a_running_tool_comes_to_its_end_and_the_next_one_does_not_begin() {
    let (rig, id, call) = called().await;
    call.tools(&[("c1", "write"), ("c2", "write")]).await;
    let run = rig.tool().await;
    let parking = park(&rig);
    tokio::time::sleep(PATIENCE / 2).await;
    assert!(!run.cancel.is_cancelled(), "it has time");
    run.end("written");
    assert!(parking.await.expect("no panic"));
    let log = rig.log(id);
    assert_eq!(log.all("tool_result").len(), 1);
    assert_eq!(log.all("tool_started").len(), 1);

    let again = rig.restarted();
    again.lane(id).await;
    let run = again.tool().await;
    assert_eq!(run.call.id, "c2");
    run.end("written");
    let log = finished(&again, id).await;
    assert_eq!(log.all("tool_started").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn tools_that_run_side_by_side_all_end() {
    let (rig, id, call) = called().await;
    call.tools(&[("c1", "look"), ("c2", "look")]).await;
    let (first, second) = (rig.tool().await, rig.tool().await);
    let parking = park(&rig);
    tokio::task::yield_now().await;
    second.end("seen");
    tokio::task::yield_now().await;
    assert!(!parking.is_finished());
    first.end("seen");
    assert!(parking.await.expect("no panic"));
    assert_eq!(rig.log(id).all("tool_result").len(), 2);
    let log = goes_on(&rig, id).await;
    assert_eq!(log.all("tool_started").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_does_not_end_in_time_is_interrupted() {
    let (rig, id, call) = called().await;
    call.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    let parking = park(&rig);
    run.interrupted().await;
    run.end("cut off");
    assert!(!parking.await.expect("no panic"));
    let log = rig.log(id);
    log.check();
    assert_eq!(log.reasons(), ["interrupted"]);
    assert!(log.all("turn_waiting").is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_open_question_and_a_wait_need_no_record_of_their_own() {
    let (rig, id, turn) = asking(question()).await;
    let asked = request(&rig, id).await;
    assert!(park(&rig).await.expect("no panic"));
    assert!(rig.log(id).all("turn_waiting").is_empty());
    let again = next(&rig);
    assert_eq!(
        again.lane(id).await.phase(),
        (Phase::AwaitingPermission, Some(turn))
    );
    assert_eq!(request(&again, id).await, asked);

    let (rig, id, call) = called().await;
    let mut follower = rig.follow(id).await;
    call.fail(limited(Duration::from_secs(3600))).await;
    follower.until("turn_waiting").await;
    assert!(park(&rig).await.expect("no panic"));
    assert_eq!(rig.log(id).only("turn_waiting")["kind"], "rate_limit");
    goes_on(&rig, id).await;
}

#[tokio::test(start_paused = true)]
async fn the_pause_before_another_attempt_is_left_at_once() {
    let (rig, id, call) = called().await;
    let mut follower = rig.follow(id).await;
    call.fail(provider_error(true)).await;
    follower.until("model_retry").await;
    assert!(park(&rig).await.expect("no panic"));
    assert_eq!(rig.log(id).only("turn_waiting")["kind"], "restart");
    goes_on(&rig, id).await;
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_is_late_interrupts_the_turn() {
    for (later, outcome) in [
        (PARK_TIME - Duration::from_secs(1), "completed"),
        (PARK_TIME + Duration::from_secs(1), "interrupted"),
    ] {
        let wall = FakeWall::new();
        let rig = Rig::with(wall.settings());
        let id = rig.session().await;
        rig.begin(id, "go").await;
        rig.model()
            .await
            .tools(&[("c1", "write"), ("c2", "write")])
            .await;
        let run = rig.tool().await;
        let parking = park(&rig);
        tokio::task::yield_now().await;
        run.end("written");
        assert!(parking.await.expect("no panic"));
        wall.set_forward(later);
        let again = rig.restarted_with(wall.settings());
        if outcome == "completed" {
            // The start of the daemon counts: a session that is loaded later goes on all the same.
            wall.set_forward(PARK_TIME);
            again.lane(id).await;
            again.tool().await.end("written");
            finished(&again, id).await;
        } else {
            again.lane(id).await;
        }
        let log = again.check(id).await;
        assert_eq!(log.reasons(), [outcome]);
        let results = log.all("tool_result");
        let last = &results[1]["message"]["content"][0]["content"][0];
        let unstarted = text(last, "text").starts_with("not started");
        assert_eq!(unstarted, outcome == "interrupted");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_counts_until_the_turn_is_parked() {
    let (rig, id, call) = called().await;
    call.tools(&[("c1", "write"), ("c2", "write")]).await;
    let run = rig.tool().await;
    let parking = park(&rig);
    tokio::task::yield_now().await;
    let lane = rig.lane(id).await;
    assert!(lane.cancel(None));
    run.end("written");
    assert!(parking.await.expect("no panic"));
    assert_eq!(rig.log(id).reasons(), ["cancelled"]);
    assert!(!lane.cancel(None), "nothing is left to cancel");
}

/// The turn has left its engine and waits for the lane, in which another record is being written.
#[tokio::test(start_paused = true)]
async fn a_cancel_just_before_the_record_is_not_lost() {
    let disk = Disk::new();
    let rig = Rig::on_disk(disk.storage());
    let id = rig.session().await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    let lane = rig.lane(id).await;
    let mut hold = disk.hold_next_record();
    let renaming = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move {
            let command = MutationCommand::new(client(), None, "updateSession", &());
            let changes = SessionChanges {
                title: Some("renamed".to_owned()),
                ..SessionChanges::default()
            };
            lane.mutate(UpdateRequest { command, changes })
                .await
                .expect("changed");
        }
    });
    hold.entered().await;
    let parking = park(&rig);
    call.ended().await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(lane.cancel(None));
    drop(hold);
    renaming.await.expect("no panic");
    assert!(parking.await.expect("no panic"));
    assert_eq!(rig.log(id).reasons(), ["cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn a_parked_turn_takes_no_cancel() {
    let (rig, id, _call) = called().await;
    let lane = rig.lane(id).await;
    assert!(park(&rig).await.expect("no panic"));
    assert!(!lane.cancel(None), "the next daemon takes it");
    goes_on(&rig, id).await;
}

#[tokio::test(start_paused = true)]
async fn a_steer_and_a_follow_up_wait_for_the_next_daemon() {
    let (rig, id, call) = called().await;
    rig.steer(id, "rather this").await;
    rig.say(id, "and then that").await;
    assert!(park(&rig).await.expect("no panic"));
    call.ended().await;
    assert_eq!(rig.log(id).all("user").len(), 1);
    let again = rig.restarted();
    again.lane(id).await;
    let mut follower = again.follow(id).await;
    again.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    again.model().await.answer("done, too").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = again.check(id).await;
    assert_eq!(log.all("user").len(), 3);
}

/// The restart comes at another moment in each round, and twice.
#[tokio::test(start_paused = true)]
async fn whenever_the_restart_comes_each_turn_ends_once_and_no_call_runs_twice() {
    for yields in 0..60 {
        let rig = Rig::new();
        let id = rig.session().await;
        rig.begin(id, "go").await;
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
        let again = played_until_parked(&rig).await;
        for _ in 0..yields / 2 {
            tokio::task::yield_now().await;
        }
        let last = played_until_parked(&again).await;
        last.sessions.clone().recover().await;
        play(&last, id).await;
        let log = last.check(id).await;
        assert_eq!(log.reasons(), ["completed"], "{yields}");
        assert_eq!(log.all("tool_started").len(), 2, "{yields}");
        assert_eq!(log.all("tool_result").len(), 2, "{yields}");
    }
}

/// Parks while the script goes on with what the turn asks for, and starts the next daemon.
async fn played_until_parked(rig: &Rig) -> Rig {
    let parking = park(rig);
    tokio::pin!(parking);
    let parked = loop {
        tokio::select! {
            biased;
            parked = &mut parking => break parked,
            call = rig.model() => answer(call).await,
            run = rig.tool() => run.end("done"),
        }
    };
    assert!(parked.expect("no panic"));
    let next = rig.restarted();
    next.sessions.clone().recover().await;
    next
}

/// Plays the turn to its end.
async fn play(rig: &Rig, id: SessionId) {
    let mut follower = rig.follow(id).await;
    if rig.log(id).reasons() == ["completed"] {
        return;
    }
    let outcome = follower.outcome();
    tokio::pin!(outcome);
    loop {
        tokio::select! {
            outcome = &mut outcome => {
                assert_eq!(outcome, "completed");
                return;
            }
            call = rig.model() => answer(call).await,
            run = rig.tool() => run.end("done"),
        }
    }
}

/// Asks for two tools at first, then ends. A call that was dropped meanwhile hears nothing.
async fn answer(call: crate::stage::ModelCall) {
    if call.events.is_closed() {
        return;
    }
    if call.request.messages.len() == 1 {
        call.tools(&[("c1", "write"), ("c2", "write")]).await;
    } else {
        call.answer("done").await;
    }
}
