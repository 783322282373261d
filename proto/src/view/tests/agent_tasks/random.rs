//! Events of runtimes that get lost, come twice or in another order.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use proptest::test_runner::{RngAlgorithm, TestRng};

use super::run::{Dice, Run};
use crate::{AgentTaskId, AgentTaskStatus, AgentTasks, PersistentEvent};

/// The number of orders of one run that are tried.
const ORDERS: u64 = 20;

fn number(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().expect("a number"))
}

/// A seed that differs from run to run, if none is wanted.
fn dice() -> Dice {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.expect("after 1970").as_nanos() % (1 << 48);
    let any = u64::try_from(now).expect("below 2^48");
    let seed = number("SCOREL_SEED").unwrap_or(any);
    println!("agent_runtimes: SCOREL_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    Dice(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// Folds the events and checks that no runtime leaves a final status.
fn fold<'a>(events: impl IntoIterator<Item = &'a PersistentEvent>) -> AgentTasks {
    let mut runtimes = AgentTasks::default();
    let mut ended: BTreeMap<AgentTaskId, AgentTaskStatus> = BTreeMap::new();
    for event in events {
        runtimes.fold(event);
        for (id, runtime) in runtimes.iter() {
            if let Some(status) = ended.get(&id) {
                assert_eq!(runtime.status, *status, "{id} has left its final status");
            } else if runtime.status.is_final() {
                ended.insert(id, runtime.status);
            }
        }
    }
    runtimes
}

/// The places of a run's records in a random order, some twice, without some of those that may be missing.
fn order(dice: &mut Dice, run: &Run, may_be_missing: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..run.records.len()).collect();
    dice.shuffle(&mut order);
    let mut missing = [0, 1, 10][dice.below(3)];
    order.retain(|place| {
        let is_missing = missing > 0 && may_be_missing(*place);
        missing -= i32::from(is_missing);
        !is_missing
    });
    for _ in 0..dice.below(5).min(order.len()) {
        let twice = order[dice.below(order.len())];
        order.insert(dice.below(order.len() + 1), twice);
    }
    order
}

fn statuses(runtimes: &AgentTasks) -> BTreeMap<AgentTaskId, AgentTaskStatus> {
    let all = runtimes.iter();
    all.map(|(id, runtime)| (id, runtime.status)).collect()
}

#[test]
fn whoever_has_the_last_event_of_each_runtime_knows_what_became_of_it() {
    let mut dice = dice();
    let orders = number("SCOREL_RUNTIME_ORDERS").unwrap_or(10_000);
    for _ in 0..orders.div_ceil(ORDERS) {
        let run = Run::random(&mut dice);
        assert_eq!(statuses(&fold(&run.records)), run.truth, "in their order");
        for _ in 0..ORDERS / 2 {
            let any = order(&mut dice, &run, |_| true);
            fold(any.into_iter().map(|place| &run.records[place]));
            let known = order(&mut dice, &run, |place| !run.last.contains(&place));
            let known = fold(known.into_iter().map(|place| &run.records[place]));
            assert_eq!(statuses(&known), run.truth);
        }
    }
}

#[test]
fn events_that_come_twice_change_nothing() {
    let mut dice = dice();
    for _ in 0..100 {
        let run = Run::random(&mut dice);
        let twice = run.records.iter().flat_map(|event| [event, event]);
        assert_eq!(fold(twice), fold(&run.records));
    }
}
