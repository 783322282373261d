//! The state that a client holds is the fold of the session's log, whatever happens to the session, its daemon and the
//! connection. The interactive client, `tail` and `acp` stand on that.

mod follower;
mod history;
mod model;
mod way;

use std::env;
use std::time::Duration;

use scorel_testkit::SeededDice;

use history::{History, STEPS, Step};

/// The histories, their steps, and how long a stall lasts.
fn measure() -> (usize, usize, Duration) {
    match env::var_os("SCOREL_LONG") {
        Some(_) => (20, 50, Duration::from_millis(500)),
        None => (3, 12, Duration::from_millis(50)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_holds_the_fold_of_the_log_after_each_kind_of_step() {
    let stall = match env::var_os("SCOREL_LONG") {
        Some(_) => Duration::from_secs(60),
        None => Duration::from_millis(300),
    };
    let mut dice = SeededDice::for_test("attach_fold_each");
    // A session each: what remains in a queue holds up what follows.
    let stories = [
        &[
            Step::Say,
            Step::Hold,
            Step::Steer,
            Step::FollowUp,
            Step::FollowUp,
            Step::EditQueue,
            Step::Cut,
            Step::EditQueue,
            Step::Release,
            Step::Rewind,
        ][..],
        &[
            Step::Hold,
            Step::FollowUp,
            Step::Stall,
            Step::EditQueue,
            Step::Cancel,
            Step::Pass,
            Step::EditQueue,
            Step::Title,
            Step::Say,
        ],
        &[
            Step::Ask,
            Step::Stall,
            Step::Cancel,
            Step::Flood,
            Step::Pass,
        ],
        &[
            Step::Stall,
            Step::Flood,
            Step::Hold,
            Step::Cut,
            Step::Release,
        ],
        &[
            Step::Ask,
            Step::Kill,
            Step::Answer,
            Step::Stall,
            Step::Compact,
        ],
        &[Step::Kill, Step::Say, Step::Cut, Step::Hold, Step::Kill],
    ];
    let mut taken = Vec::new();
    for story in stories {
        let mut history = History::new(dice.fork(), stall).await;
        for &step in story {
            history.take(step).await;
        }
        history.end().await;
        taken.extend(history.taken);
    }
    for step in STEPS {
        let was_taken = taken.iter().any(|it| *it as usize == step as usize);
        assert!(was_taken, "{step:?} was never possible: {taken:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_holds_the_fold_of_the_log_after_random_histories() {
    let (histories, steps, stall) = measure();
    let mut dice = SeededDice::for_test("attach_fold");
    for number in 0..histories {
        let mut history = History::new(dice.fork(), stall).await;
        for _ in 0..steps {
            history.take_any().await;
        }
        history.end().await;
        println!("attach_fold: history {number}: {:?}", history.taken);
    }
}
