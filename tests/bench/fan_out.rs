use std::path::Path;
use std::time::Instant;

use futures_util::future::join_all;
use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::json;

use crate::bare::{Bare, SOCKETS};
use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, words};
use crate::figure::{Figure, Goal, rounded};
use crate::throughput::WRITE_BYTES;

const DELTAS: usize = 50_000;

/// The same events for many subscribers, beside a loop that encodes each once and writes it to as
/// many sockets.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let bare = bare_with("1").await;
    let batched = bare_with("64").await;
    let daemon = daemon(program).await;
    vec![Figure {
        name: "32 subscribers / bare write to 32 sockets",
        value: daemon / bare,
        unit: "ratio",
        goal: Goal::AtLeast {
            must: 0.6,
            aim: 0.8,
        },
        with: json!({
            "eventsPerSecond": rounded(daemon),
            "bareEventsPerSecond": rounded(bare),
            "bareEventsPerSecondInBatchesOf64": rounded(batched),
        }),
    }]
}

/// Events per second that reach every subscriber of the daemon.
async fn daemon(program: &Path) -> f64 {
    let mut bench = BenchDaemon::new(program).await;
    let session = bench.new_session().await;
    let mut watches = Vec::new();
    for _ in 0..SOCKETS {
        watches.push(bench.watch(&session).await);
    }
    let gate = ResponseGate::new();
    let answer = ScriptedResponse::event_stream(words(DELTAS))
        .in_writes_of(WRITE_BYTES)
        .hold(&gate);
    bench.begin_turn(&session, answer, &gate).await;
    let started = Instant::now();
    gate.open();
    let events = count(watches, "\"turn_outcome\"").await;
    events as f64 / started.elapsed().as_secs_f64()
}

/// Events per second that reach every socket of the baseline.
async fn bare_with(batch: &str) -> f64 {
    let deltas = DELTAS.to_string();
    let mut bare = Bare::start("bare-fan-out", SOCKETS, &[&deltas, batch]).await;
    let mut watches: Vec<BenchClient> = bare.sockets.drain(..).map(BenchClient::new).collect();
    let started = Instant::now();
    watches[0].send(b"!").await;
    let events = count(watches, "\"the end\"").await;
    events as f64 / started.elapsed().as_secs_f64()
}

/// Reads from all until each has had the last line; returns the number of lines of one.
async fn count(watches: Vec<BenchClient>, last: &'static str) -> usize {
    let readers = watches
        .into_iter()
        .map(|mut watch| tokio::spawn(async move { watch.count_until(last).await }));
    let counts = join_all(readers).await;
    counts.into_iter().map(Result::unwrap).min().unwrap()
}
