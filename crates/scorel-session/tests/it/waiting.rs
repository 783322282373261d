//! Turns that wait for a rate limit.

use std::time::Duration;

use scorel_proto::{Phase, SessionChanges, SessionId, TurnId};
use scorel_session::{MutationCommand, SendRequest, SessionError, UpdateRequest, WaitEnd};
use tokio::time::Instant;

use crate::follower::Follower;
use crate::rig::{Rig, client, message};
use crate::stage::limited;
use crate::wall::{FakeWall, NOON};

const HOUR: Duration = Duration::from_secs(3600);
/// The random addition to a wait, and the interval between two checks of the wall clock.
const SLACK: Duration = Duration::from_secs(41);

struct Waiting {
    rig: Rig,
    wall: FakeWall,
    id: SessionId,
    turn: TurnId,
    follower: Follower,
    since: Instant,
}

/// A session whose turn waits.
async fn waiting(wait: Duration) -> Waiting {
    let wall = FakeWall::new();
    let rig = Rig::with(wall.settings());
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "go").await;
    let since = Instant::now();
    rig.model().await.fail(limited(wait)).await;
    follower.until("turn_waiting").await;
    Waiting {
        rig,
        wall,
        id,
        turn,
        follower,
        since,
    }
}

fn end_wait(id: Option<&str>) -> MutationCommand {
    let id = id.map(|id| id.parse().expect("a command id"));
    MutationCommand::new(client(), id, "endWait", &())
}

#[tokio::test(start_paused = true)]
async fn a_wait_says_until_when_and_makes_one_further_request() {
    for wait in [Duration::from_secs(120), 5 * HOUR] {
        let mut scene = waiting(wait).await;
        let lane = scene.rig.lane(scene.id).await;
        assert_eq!(lane.phase(), (Phase::Waiting, Some(scene.turn)));
        scene.rig.model().await.answer("patience").await;
        let waited = scene.since.elapsed();
        assert!((wait..wait + SLACK).contains(&waited), "{waited:?}");
        assert_eq!(scene.follower.outcome().await, "completed");
        let log = scene.rig.check(scene.id).await;
        let outline = ["turn_waiting", "turn_resumed", "assistant", "turn_outcome"];
        assert_eq!(log.outline()[2..], outline);
        let record = log.only("turn_waiting");
        assert_eq!(record["kind"], "rate_limit");
        assert_eq!(record["attempt"], 1);
        let until = record["until"].as_u64().expect("a moment");
        let wait_ms = u64::try_from(wait.as_millis()).expect("short");
        assert!((wait_ms..=wait_ms + 30_000).contains(&(until - NOON)));
    }
}

#[tokio::test(start_paused = true)]
async fn sixty_seconds_are_a_retry_and_more_is_a_wait() {
    for (seconds, shown) in [(60, "model_retry"), (61, "turn_waiting")] {
        let rig = Rig::with(FakeWall::new().settings());
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "go").await;
        let since = Instant::now();
        let wait = Duration::from_secs(seconds);
        rig.model().await.fail(limited(wait)).await;
        follower.until(shown).await;
        rig.model().await.answer("patience").await;
        assert!(since.elapsed() >= wait);
        assert_eq!(follower.outcome().await, "completed");
        let waits = rig.check(id).await.all("turn_waiting").len();
        assert_eq!(waits, usize::from(shown == "turn_waiting"));
    }
}

/// How a wait ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum WayOut {
    Passed,
    /// A steer ends no wait, so it passes.
    Steer,
    SetBack,
    EndWait,
    Model,
    Cancel,
}

#[tokio::test(start_paused = true)]
async fn every_way_out_of_a_wait_makes_one_request_and_a_cancel_none() {
    use WayOut::{Cancel, EndWait, Model, Passed, SetBack, Steer};
    for way in [Passed, Steer, SetBack, EndWait, Model, Cancel] {
        for killed in [false, true] {
            let Waiting {
                mut rig,
                wall,
                id,
                turn,
                mut follower,
                ..
            } = waiting(5 * HOUR).await;
            if killed {
                rig = rig.crashed().restarted_with(wall.settings());
                follower = rig.follow(id).await;
            }
            let lane = rig.lane(id).await;
            let since = Instant::now();
            match way {
                Passed => {}
                Steer => {
                    rig.steer(id, "and this").await;
                }
                SetBack => wall.set_back(24 * HOUR),
                EndWait => {
                    let ended = lane
                        .mutate(WaitEnd {
                            command: end_wait(None),
                            expected: turn,
                        })
                        .await;
                    ended.expect("it waits");
                }
                Model => {
                    let changes = SessionChanges {
                        model: Some("other".to_owned()),
                        ..SessionChanges::default()
                    };
                    lane.mutate(UpdateRequest {
                        command: end_wait(None),
                        changes,
                    })
                    .await
                    .expect("changed");
                }
                Cancel => assert!(lane.cancel(Some(turn))),
            }
            if way != Cancel {
                rig.model().await.answer("patience").await;
            }
            let expected = if way == Cancel {
                "cancelled"
            } else {
                "completed"
            };
            assert_eq!(
                follower.outcome().await,
                expected,
                "{way:?}, killed: {killed}"
            );
            let at_once = since.elapsed() < Duration::from_secs(1);
            assert_eq!(at_once, matches!(way, EndWait | Model | Cancel), "{way:?}");
            let more = tokio::time::timeout(10 * HOUR, rig.model()).await;
            assert!(more.is_err(), "{way:?}, killed: {killed}");
            rig.check(id).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn seven_hours_are_an_error_that_says_when_the_limit_ends() {
    let wall = FakeWall::new();
    let rig = Rig::with(wall.settings());
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    rig.model().await.fail(limited(7 * HOUR)).await;
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    let error = &log.only("turn_outcome")["error"];
    assert_eq!(error["code"], "rate_limit");
    assert!(error["resetsAt"].is_u64(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_forward_ends_the_wait() {
    let scene = waiting(5 * HOUR).await;
    // As after a night with the lid closed: the timer has stood still.
    scene.wall.set_forward(6 * HOUR);
    scene.rig.model().await.answer("morning").await;
    assert!(scene.since.elapsed() <= Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_does_not_prolong_the_wait() {
    let mut scene = waiting(HOUR).await;
    scene.wall.set_back(24 * HOUR);
    scene.rig.model().await.answer("patience").await;
    let waited = scene.since.elapsed();
    assert!((HOUR..HOUR + SLACK).contains(&waited), "{waited:?}");
    assert_eq!(scene.follower.outcome().await, "completed");
    scene.rig.check(scene.id).await;
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_the_rest_is_waited_for() {
    // How far the clock moves while no daemon runs, and how long the next one waits.
    for (forward, least, most) in [
        (HOUR, 4 * HOUR, 4 * HOUR + SLACK),
        (6 * HOUR, Duration::ZERO, Duration::from_secs(1)),
    ] {
        let scene = waiting(5 * HOUR).await;
        scene.wall.set_forward(forward);
        let again = scene.rig.crashed().restarted_with(scene.wall.settings());
        again.lane(scene.id).await;
        let since = Instant::now();
        let mut follower = again.follow(scene.id).await;
        again.model().await.answer("patience").await;
        let waited = since.elapsed();
        assert!((least..=most).contains(&waited), "{waited:?}");
        assert_eq!(follower.outcome().await, "completed");
        assert_eq!(again.check(scene.id).await.all("turn_resumed").len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_a_clock_that_was_set_back_does_not_prolong_the_wait() {
    let scene = waiting(HOUR).await;
    scene.wall.set_back(24 * HOUR);
    let again = scene.rig.crashed().restarted_with(scene.wall.settings());
    again.lane(scene.id).await;
    let since = Instant::now();
    again.model().await.answer("patience").await;
    assert!(since.elapsed() <= HOUR + SLACK, "{:?}", since.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_client_ends_the_wait_once() {
    let mut scene = waiting(5 * HOUR).await;
    let lane = scene.rig.lane(scene.id).await;
    let other = lane
        .mutate(WaitEnd {
            command: end_wait(None),
            expected: TurnId::generate(),
        })
        .await;
    assert!(matches!(other, Err(SessionError::Conflict(_))), "{other:?}");
    let command = end_wait(Some("end-1"));
    let seq = lane
        .mutate(WaitEnd {
            command: command.clone(),
            expected: scene.turn,
        })
        .await;
    let seq = seq.expect("it waits");
    let call = scene.rig.model().await;
    assert!(scene.since.elapsed() < Duration::from_secs(1));
    let repeated = lane
        .mutate(WaitEnd {
            command,
            expected: scene.turn,
        })
        .await;
    assert_eq!(repeated.expect("a repetition"), seq);
    let late = lane
        .mutate(WaitEnd {
            command: end_wait(None),
            expected: scene.turn,
        })
        .await;
    assert!(matches!(late, Err(SessionError::Conflict(_))), "{late:?}");
    call.answer("at once").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.only("turn_resumed")["seq"], seq.get());
}

#[tokio::test(start_paused = true)]
async fn another_model_ends_the_wait_and_is_the_one_that_is_asked() {
    for by_send in [false, true] {
        let mut scene = waiting(5 * HOUR).await;
        let lane = scene.rig.lane(scene.id).await;
        if by_send {
            let request = SendRequest {
                model: Some("other".to_owned()),
                runner: None,
                ..message("and this")
            };
            lane.mutate(request).await.expect("queued");
        } else {
            let same = SessionChanges {
                title: Some("no model".to_owned()),
                ..SessionChanges::default()
            };
            lane.mutate(UpdateRequest {
                command: end_wait(None),
                changes: same,
            })
            .await
            .expect("changed");
            assert_eq!(lane.phase().0, Phase::Waiting);
            let changes = SessionChanges {
                model: Some("other".to_owned()),
                ..SessionChanges::default()
            };
            lane.mutate(UpdateRequest {
                command: end_wait(None),
                changes,
            })
            .await
            .expect("changed");
        }
        scene.rig.model().await.answer("as another").await;
        assert!(scene.since.elapsed() < Duration::from_secs(1));
        assert_eq!(scene.follower.outcome().await, "completed");
        let log = scene.rig.log(scene.id);
        assert_eq!(log.all("assistant")[0]["message"]["model"], "script:other");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_wait_without_a_request() {
    let mut scene = waiting(5 * HOUR).await;
    let lane = scene.rig.lane(scene.id).await;
    assert!(lane.cancel(Some(scene.turn)));
    assert_eq!(scene.follower.outcome().await, "cancelled");
    scene.rig.check(scene.id).await;
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_wait_counts_for_no_limit() {
    let wall = FakeWall::new();
    let rig = Rig::with(wall.settings());
    rig.plan(|plan| plan.limits.max_duration = HOUR);
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    for _ in 0..2 {
        rig.model().await.fail(limited(2 * HOUR)).await;
    }
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let waits: Vec<_> = log.all("turn_waiting");
    assert_eq!((waits.len(), &waits[1]["attempt"]), (2, &2.into()));
}
