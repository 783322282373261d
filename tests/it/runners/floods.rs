//! Runners that write and never pause, below a daemon that others use meanwhile. The tests of scorel-runner
//! try each wire and each shape.

use std::time::{Duration, Instant};

use scorel_client::Connection;
use scorel_proto::{GetStatus, NoParams};
use scorel_testkit::{ACP_HANDSHAKE, ModelServer};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::double::acp;
use super::{processes, send_to};
use crate::under_test::{PATIENCE, Watch, connect, daemon, new_session};

/// The time that a call may take beside a flood, 99 times of 100. On a machine that is too busy for that, three
/// times of what it takes at a daemon that does nothing.
const P99: Duration = Duration::from_millis(20);

/// Turns that are tried until calls were as quick. What else the machine does makes one slow; a loop that
/// does not yield makes all of them slow.
const TRIES: usize = 5;

/// Between two calls.
const PACE: Duration = Duration::from_millis(2);

#[tokio::test]
async fn a_flood_instead_of_a_handshake_delays_no_call() {
    let outcome = flooded("exec yes hello", "startSeconds = 1").await;
    assert_eq!(outcome["error"]["code"], "runner_stalled", "{outcome}");
}

#[tokio::test]
async fn a_flood_in_a_turn_delays_no_call() {
    let script = format!("{ACP_HANDSHAKE}\nexec yes hello");
    let outcome = flooded(&script, "idleSeconds = 1").await;
    assert_eq!(outcome["error"]["code"], "runner_stalled", "{outcome}");
}

#[tokio::test]
async fn a_flood_after_a_turn_delays_no_call() {
    let script = format!("{ACP_HANDSHAKE}\nend; exec yes hello");
    let outcome = flooded(&script, "keepSeconds = 0").await;
    assert_eq!(outcome["reason"], "completed", "{outcome}");
}

/// The outcome of a turn, while two daemons are asked for their status: its own and an idle one.
async fn flooded(script: &str, keys: &str) -> Value {
    let model = ModelServer::start().await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let keys = format!("{keys}\nenv = {{ HOME = {} }}", json!(home.path()));
    let busy = daemon(&model, &acp("floods", script, &keys)).await;
    let idle = daemon(&model, "").await;
    let clients = [connect(&busy.socket()).await, connect(&idle.socket()).await];
    let (client, id) = new_session(&busy).await;
    let mut watch = Watch::from_start(&client, id).await;
    let mut slow = Vec::new();
    while slow.len() < TRIES {
        send_to(&client, id, "floods", "go").await;
        let mut times = [Vec::new(), Vec::new()];
        let outcome = tokio::select! {
            outcome = outcome(&mut watch) => outcome,
            never = ask(&clients, &mut times) => never,
        };
        let [busy, idle] = times.map(p99);
        if busy <= P99.max(idle * 3) {
            processes::wait_until_gone(home.path());
            return outcome;
        }
        slow.push((busy, idle));
    }
    panic!("calls take as long beside a flood, and at an idle daemon: {slow:?}");
}

/// The end of a turn, of whose log nothing is kept.
async fn outcome(watch: &mut Watch) -> Value {
    loop {
        let event = watch.next().await;
        if event["type"] == "turn_outcome" {
            return event;
        }
    }
}

/// Asks each for its status, again and again.
async fn ask(clients: &[Connection; 2], times: &mut [Vec<Duration>; 2]) -> ! {
    loop {
        for (client, times) in clients.iter().zip(&mut *times) {
            let begun = Instant::now();
            let answered = timeout(PATIENCE, client.call::<GetStatus>(&NoParams {})).await;
            answered.expect("an answer in time").unwrap();
            times.push(begun.elapsed());
        }
        sleep(PACE).await;
    }
}

fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() * 99 / 100]
}
