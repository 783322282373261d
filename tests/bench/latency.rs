use std::path::Path;
use std::time::Instant;

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::json;

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const CHUNKS: usize = 2_000;

/// The time from the endpoint's write of a chunk to the subscriber's event, one chunk at a time.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    let gates: Vec<ResponseGate> = (0..CHUNKS).map(|_| ResponseGate::new()).collect();
    let answer = gates.iter().fold(ScriptedResponse::chat(), |answer, gate| {
        answer.wait(gate).text(" word")
    });
    bench
        .begin_turn(&session, answer.finish("stop").into(), &gates[0])
        .await;
    let mut samples = Samples::default();
    for gate in &gates {
        gate.reached().await;
        let started = Instant::now();
        gate.open();
        watch.until("\"text_delta\"").await;
        samples.push(started.elapsed());
    }
    vec![Figure {
        name: "provider chunk to subscriber, p50",
        value: samples.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 0.3,
            aim: 0.2,
        },
        with: json!({"p99Ms": rounded(samples.p99()), "chunks": CHUNKS}),
    }]
}
