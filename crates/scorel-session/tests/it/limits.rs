//! What a turn may use, and what it may cost with its session and the day.

use std::time::Duration;

use scorel_engine::{CostLimits, TurnLimits};
use scorel_proto::{Anchors, OnRestart, SessionId, SessionView};
use scorel_session::SessionSettings;
use serde_json::Value;
use tokio::time::sleep;

use crate::rig::Rig;
use crate::stage::USAGE;
use crate::usage::{ANSWER, DAY, PRICE, priced};
use crate::wall::FakeWall;

/// How long the first call of a turn takes that is resumed.
const FIRST_CALL: Duration = Duration::from_secs(120);

/// A limit that several calls reach, and the code of its outcome.
fn limits(turn_allows: u64) -> [(&'static str, TurnLimits); 5] {
    let cost = |change: fn(&mut CostLimits, u64)| {
        let mut limits = TurnLimits::default();
        change(&mut limits.cost, turn_allows * ANSWER);
        limits
    };
    let calls = u32::try_from(turn_allows).expect("few");
    let (steps, tokens) = (calls, turn_allows * USAGE.total());
    [
        (
            "steps",
            TurnLimits {
                max_steps: steps,
                ..TurnLimits::default()
            },
        ),
        (
            "tokens",
            TurnLimits {
                max_tokens: tokens,
                ..TurnLimits::default()
            },
        ),
        ("turn_cost", cost(|cost, most| cost.turn = Some(most))),
        ("session_cost", cost(|cost, most| cost.session = Some(most))),
        ("day_cost", cost(|cost, most| cost.day = Some(most))),
    ]
}

/// A turn that calls a tool in every answer; its outcome.
async fn endless(rig: &Rig, id: SessionId) -> Value {
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    loop {
        let call = tokio::select! {
            biased;
            outcome = follower.until("turn_outcome") => return outcome,
            call = rig.model() => call,
        };
        call.tools(&[("c1", "look")]).await;
        tokio::select! {
            biased;
            outcome = follower.until("turn_outcome") => return outcome,
            run = rig.tool() => run.end("seen"),
        }
    }
}

/// A turn of one call, whose daemon was killed while its tool ran: its outcome in the next daemon,
/// which resumes it with these limits.
async fn resumed(limits: TurnLimits, price: bool) -> Value {
    let wall = FakeWall::new();
    let rig = priced(&wall);
    let id = rig.session().await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    sleep(FIRST_CALL).await;
    call.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    let resuming = SessionSettings {
        on_restart: OnRestart::Resume,
        ..wall.settings()
    };
    let again = rig.crashed().restarted_with(resuming);
    again.plan(|plan| {
        plan.price = price.then_some(PRICE);
        plan.limits = limits;
    });
    // From the beginning: the turn may be over before a client has caught up.
    let follower = again.follow_from(id, SessionView::default(), Anchors::default());
    let outcome = follower.await.until("turn_outcome").await;
    assert_eq!(again.check(id).await.all("turn_resumed").len(), 1);
    run.end("too late");
    outcome
}

fn assert_limit(outcome: &Value, code: &str) {
    assert_eq!(outcome["reason"], "limit", "{code}: {outcome}");
    assert_eq!(outcome["error"]["code"], code, "{outcome}");
}

#[tokio::test(start_paused = true)]
async fn each_limit_ends_the_turn_before_the_call_that_would_exceed_it() {
    // As many calls as a cost needs that leaves room for the estimate of the next one.
    for (code, limits) in limits(20) {
        let wall = FakeWall::new();
        let rig = priced(&wall);
        rig.plan(|plan| plan.limits = limits);
        let id = rig.session().await;
        let outcome = endless(&rig, id).await;
        assert_limit(&outcome, code);
        let steps = outcome["steps"].as_u64().expect("a number");
        assert!((2..=20).contains(&steps), "{code}: {steps}");
        assert_eq!(outcome["cost"]["microUsd"], steps * ANSWER, "{code}");
        rig.check(id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_turn_has_the_limits_of_the_whole_turn() {
    let time = TurnLimits {
        max_duration: FIRST_CALL,
        ..TurnLimits::default()
    };
    for (code, limits) in limits(1).into_iter().chain([("time", time)]) {
        let outcome = resumed(limits, true).await;
        assert_limit(&outcome, code);
        assert_eq!(outcome["cost"]["microUsd"], ANSWER, "{code}");
        assert_eq!(outcome["steps"], 1, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_price_a_limit_of_cost_is_an_error_also_of_a_resumed_turn() {
    for (code, limits) in limits(20).into_iter().skip(2) {
        let outcome = resumed(limits.clone(), false).await;
        let rig = Rig::with(FakeWall::new().settings());
        rig.plan(|plan| plan.limits = limits);
        let id = rig.session().await;
        for outcome in [outcome, endless(&rig, id).await] {
            assert_eq!(outcome["reason"], "error", "{code}");
            assert_eq!(outcome["error"]["code"], "cost_unknown", "{code}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_session_and_the_day_count_what_other_turns_and_sessions_spent() {
    let wall = FakeWall::new();
    let rig = priced(&wall);
    let (one, two) = (rig.session().await, rig.session().await);
    rig.exchange(one, "spends").await;
    let limited = |session, day| {
        rig.plan(|plan| {
            plan.limits.cost.session = session;
            plan.limits.cost.day = day;
        });
    };
    limited(Some(ANSWER), None);
    assert_limit(&endless(&rig, one).await, "session_cost");
    // The other session has spent nothing: the estimate of its call is what counts.
    limited(Some(1_000 * ANSWER), Some(ANSWER));
    assert_limit(&endless(&rig, two).await, "day_cost");
    wall.set_forward(DAY);
    limited(None, Some(1_000 * ANSWER));
    rig.exchange(two, "another day").await;
}
