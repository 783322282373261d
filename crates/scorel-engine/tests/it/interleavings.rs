//! Turns of every shape, cancelled and out of time at every moment. What must hold of each is in
//! [`crate::rules`]; a failure prints the seed of the turn.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use scorel_engine::RetryPolicy;
use scorel_proto::{OutcomeReason, StopReason};

use crate::model::{Script, overloaded};
use crate::play::Scene;
use crate::toolbox::Tool;

const TURNS: u64 = 3_000;

/// Names the seed when a turn breaks a rule.
struct Seed(u64);

impl Drop for Seed {
    #[expect(
        clippy::print_stderr,
        reason = "a failure is of no use without its seed"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the turn's seed is {}", self.0);
        }
    }
}

fn millis(rng: &mut StdRng, most: u64) -> Duration {
    Duration::from_millis(rng.random_range(0..=most))
}

fn tools() -> [Tool; 6] {
    let second = Duration::from_secs(1);
    [
        Tool::reads("Read"),
        Tool::reads("Slow").takes(second),
        Tool::reads("Talk").takes(second).updates(4).parting(),
        Tool::writes("Write").takes(second / 3),
        Tool::writes("Bash").takes(5 * second).interruptible(),
        Tool::reads("Bye")
            .takes(second / 10)
            .parting()
            .interruptible(),
    ]
}

/// One answer: blocks in any order with pauses between them, and some kind of end.
fn script(rng: &mut StdRng) -> Script {
    const NAMES: [&str; 7] = ["Read", "Slow", "Talk", "Write", "Bash", "Bye", "Nope"];
    const IDS: [&str; 4] = ["", "a", "a-2", "b"];
    const ARGUMENTS: [&str; 4] = ["", "{}", "{\"a", "7"];
    let mut script = Script::default();
    for _ in 0..rng.random_range(0..7) {
        if rng.random_bool(0.5) {
            script = script.wait(millis(rng, 400));
        }
        script = match rng.random_range(0..5) {
            0 => script.text(&["some ", "", "words"]),
            1 => script.text(&[" "]),
            2 => script.thinking("hm"),
            _ => script.call(
                IDS[rng.random_range(0..IDS.len())],
                NAMES[rng.random_range(0..NAMES.len())],
                ARGUMENTS[rng.random_range(0..ARGUMENTS.len())],
            ),
        };
    }
    match rng.random_range(0..20) {
        0 => script,
        1 => script.hang(),
        2 => script.fail(overloaded(None)),
        3 => script.fail(overloaded(Some(millis(rng, 200_000)))),
        4 => script.done(StopReason::MaxTokens),
        5 => script.done(StopReason::Pause),
        6 => script.done(StopReason::Refusal),
        7 => script.done(StopReason::ContentFilter),
        8..14 => script.done(StopReason::EndTurn),
        _ => script.done(StopReason::ToolUse),
    }
}

async fn play(seed: u64) -> OutcomeReason {
    let named = Seed(seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let scripts: Vec<Script> = (0..60).map(|_| script(&mut rng)).collect();
    let mut scene = Scene::new(scripts, tools());
    scene.limits.max_steps = rng.random_range(1..8);
    scene.limits.max_tokens = rng.random_range(20..200);
    scene.limits.max_calls_per_answer = rng.random_range(1..6);
    scene.limits.max_parallel_tools = rng.random_range(1..4);
    scene.limits.max_duration = millis(&mut rng, 20_000);
    scene.retry = RetryPolicy {
        max_attempts: 3,
        ..RetryPolicy::default()
    };
    let played = match rng.random_range(0..3) {
        0 => scene.play().await,
        1 => scene.play_cancelled_after(millis(&mut rng, 5_000)).await,
        _ => {
            let mut left = rng.random_range(0..40);
            let due = move |_: &_| {
                left -= 1;
                left == 0
            };
            scene.play_cancelled_at(due).await
        }
    };
    drop(named);
    played.end.reason
}

#[tokio::test(start_paused = true)]
async fn every_turn_keeps_the_rules() {
    let mut seen = std::collections::HashMap::new();
    for seed in 0..TURNS {
        *seen.entry(format!("{:?}", play(seed).await)).or_insert(0) += 1;
    }
    for reason in ["Completed", "Cancelled", "Error", "Limit"] {
        let count = seen.get(reason).copied().unwrap_or(0);
        assert!(count > TURNS / 100, "too few turns ended so: {seen:?}");
    }
}
