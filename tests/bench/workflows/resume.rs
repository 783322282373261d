use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::{Value, json};

use super::run_stand::RunStand;
use crate::bench_client::request;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const TURNS: usize = 100;

/// Starts of the daemon.
const STARTS: usize = 15;

/// The nodes of a workflow of usual size.
const NODES: usize = 8;

/// From `resumeRun`, by which a new session takes a run over, to its first request.
pub(super) async fn measure(program: &Path) -> Figure {
    let mut stand = RunStand::new(program, NODES).await;
    let (mut taken_over, mut same) = (Samples::default(), Samples::default());
    for _ in 0..TURNS {
        taken_over.push(resumed(&mut stand, true).await);
        same.push(resumed(&mut stand, false).await);
    }
    let mut after_start = Samples::default();
    for _ in 0..STARTS {
        stand.bench.daemon.stop().await;
        stand.bench.restart().await;
        after_start.push(resumed(&mut stand, true).await);
    }
    Figure {
        name: "resumeRun to the request of the new session, p50",
        value: taken_over.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 30.0,
            aim: 12.0,
        },
        with: json!({
            "p99Ms": rounded(taken_over.p99()),
            "sameSessionMs": rounded(same.p50()),
            "afterStartMs": rounded(after_start.p50()),
            "turns": TURNS,
        }),
    }
}

async fn resumed(stand: &mut RunStand, new_session: bool) -> Duration {
    let bench = &mut stand.bench;
    let asked = ResponseGate::new();
    let done = ScriptedResponse::chat().text("done").finish("stop");
    bench
        .model
        .answer(ScriptedResponse::from(done).hold(&asked));
    let params = json!({"runId": stand.run, "newSession": new_session});
    let line = request("resumeRun", &params);
    let started = Instant::now();
    bench.client.send(&line).await;
    asked.reached().await;
    let took = started.elapsed();
    let reply: Value = serde_json::from_str(bench.client.until("\"id\":1").await).unwrap();
    let session = reply["result"]["sessionId"].as_str().unwrap();
    let mut watch = bench.watch(session).await;
    asked.open();
    watch.until("\"turn_outcome\"").await;
    bench.model.take_requests();
    took
}
