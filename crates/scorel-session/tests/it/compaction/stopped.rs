//! Compactions that are cancelled, or whose daemon stops.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{CommandId, Phase, TurnId};
use scorel_session::{CancelAndClear, MutationCommand};

use super::{Scene, WINDOW, outline, states};
use crate::rig::{client, message};

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_summary_of_an_idle_session() {
    let scene = Scene::with(3).await;
    scene.compact().await.expect("it begins");
    let call = scene.rig.model().await;
    scene.rig.say(scene.id, "meanwhile").await;
    let lane = scene.rig.lane(scene.id).await;
    assert!(!lane.cancel(Some(TurnId::generate())), "no turn is open");
    assert!(lane.cancel(None));
    assert_eq!(lane.phase().0, Phase::Cancelling);
    call.ended().await;
    let mut follower = scene.follower;
    loop {
        let event = follower.until("compaction").await;
        if event["state"] == "cancelled" {
            break;
        }
    }
    let log = scene.rig.check(scene.id).await;
    assert_eq!(states(&log), ["started", "cancelled"]);
    let session = lane.session().expect("there");
    assert_eq!((session.phase, session.queue_paused), (Phase::Idle, true));
}

#[tokio::test(start_paused = true)]
async fn a_message_during_the_cancel_of_a_summary_goes_on() {
    let mut scene = Scene::with(3).await;
    scene.compact().await.expect("it begins");
    let _call = scene.rig.model().await;
    scene.rig.say(scene.id, "waits").await;
    let lane = scene.rig.lane(scene.id).await;
    assert!(lane.cancel(None));
    lane.mutate(message("instead")).await.expect("accepted");
    for answer in ["2", "3"] {
        scene.rig.model().await.answer(answer).await;
        assert_eq!(scene.follower.outcome().await, "completed");
    }
    let log = scene.rig.check(scene.id).await;
    assert_eq!(states(&log), ["started", "cancelled"]);
    assert_eq!(log.all("queue_update")[1]["ops"][0]["goOn"], true);
}

#[tokio::test(start_paused = true)]
async fn a_repeated_cancel_of_a_summary_gets_its_answer_after_a_crash_too() {
    let scene = Scene::with(3).await;
    scene.compact().await.expect("it begins");
    let call = scene.rig.model().await;
    let lane = scene.rig.lane(scene.id).await;
    let id: CommandId = "stop".parse().expect("a command id");
    let stop = MutationCommand::new(client(), Some(id), "cancel", &());
    let first = lane
        .mutate(CancelAndClear {
            command: stop.clone(),
            expected: None,
            clears: true,
            stops_children: false,
        })
        .await;
    let first = first.expect("answered");
    assert!(first.cancelled);
    call.ended().await;
    let log = scene.rig.log(scene.id);
    let update = log.all("queue_update")[0];
    let begun = log.all("compaction")[0];
    assert_eq!(update["cancelCompactionId"], begun["compactionId"]);
    let next = scene.rig.crashed();
    let again = next
        .lane(scene.id)
        .await
        .mutate(CancelAndClear {
            command: stop,
            expected: None,
            clears: true,
            stops_children: false,
        })
        .await;
    assert_eq!(again.expect("answered"), first);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_of_the_turn_ends_its_summary() {
    let mut scene = Scene::with(4).await;
    let call = scene.one_too_many().await;
    assert!(scene.rig.lane(scene.id).await.cancel(None));
    call.ended().await;
    assert_eq!(scene.follower.outcome().await, "cancelled");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(states(&log), ["started", "cancelled"]);
    assert_eq!(
        log.outline().last().map(String::as_str),
        Some("turn_outcome")
    );
}

#[tokio::test(start_paused = true)]
async fn a_crash_interrupts_a_summary() {
    let scene = Scene::with(3).await;
    scene.compact().await.expect("it begins");
    let _call = scene.rig.model().await;
    scene.rig.say(scene.id, "meanwhile").await;
    let next = scene.rig.crashed();
    next.plan(|plan| plan.window = Some(WINDOW));
    let mut follower = next.follow(scene.id).await;
    let call = next.model().await;
    assert_eq!(
        outline(&call.request.messages).last().map(String::as_str),
        Some("meanwhile")
    );
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = next.check(scene.id).await;
    assert_eq!(states(&log), ["started", "interrupted"]);
}

#[tokio::test(start_paused = true)]
async fn a_crash_in_a_turn_interrupts_its_summary_too() {
    let scene = Scene::with(4).await;
    let _call = scene.one_too_many().await;
    let next = scene.rig.crashed();
    next.lane(scene.id).await;
    let log = next.check(scene.id).await;
    assert_eq!(states(&log), ["started", "interrupted"]);
    assert_eq!(log.reasons().last(), Some(&"interrupted"));
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_stops_says_so() {
    let scene = Scene::with(3).await;
    scene.compact().await.expect("it begins");
    let call = scene.rig.model().await;
    let sessions = Arc::clone(&scene.rig.sessions);
    sessions.drain(Duration::from_secs(1)).await;
    drop(call);
    assert_eq!(states(&scene.rig.log(scene.id)), ["started", "interrupted"]);
}
