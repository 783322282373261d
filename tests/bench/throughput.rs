use std::path::Path;
use std::time::Instant;

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::json;

use crate::bench_daemon::{BenchDaemon, words};
use crate::figure::{Figure, Goal, rounded};

const DELTAS: usize = 300_000;

/// The endpoint writes several events at once, as a fast network delivers them.
pub(crate) const WRITE_BYTES: usize = 16 * 1024;

/// A long reply with one event per word, read by one subscriber.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    let gate = ResponseGate::new();
    let answer = ScriptedResponse::event_stream(words(DELTAS))
        .in_writes_of(WRITE_BYTES)
        .hold(&gate);
    bench.begin_turn(&session, answer, &gate).await;
    let started = Instant::now();
    gate.open();
    let events = watch.count_until("\"turn_outcome\"").await;
    let seconds = started.elapsed().as_secs_f64();
    vec![Figure {
        name: "delta events per second, one subscriber",
        value: events as f64 / seconds,
        unit: "1/s",
        goal: Goal::AtLeast {
            must: 100_000.0,
            aim: 150_000.0,
        },
        with: json!({"deltas": DELTAS, "events": events, "seconds": rounded(seconds)}),
    }]
}
