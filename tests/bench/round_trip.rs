use std::path::Path;
use std::time::Instant;

use scorel_testkit::DaemonUnderTest;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::bare::Bare;
use crate::bench_client::request;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const ROUNDS: usize = 20;
const CALLS: usize = 1_000;

/// A trivial call beside an echo of the same bytes, in alternation, so that load on the machine
/// affects both. The best round of each counts: when two processes share no core, a wake-up costs
/// several times as much.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let daemon = DaemonUnderTest::start(program).await;
    let mut called = UnixStream::connect(daemon.socket()).await.unwrap();
    let mut bare = Bare::start("bare-echo", 1, &[]).await;
    let hello = request("hello", &json!({"protocol": {"min": 1, "max": 1}}));
    let (mut calls, mut echoes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        echoes.push(round(&mut bare.sockets[0], &hello).await);
        calls.push(round(&mut called, &hello).await);
    }
    let best = |rounds: &[f64]| rounds.iter().copied().fold(f64::INFINITY, f64::min);
    let worst = |rounds: &[f64]| rounds.iter().copied().fold(0.0, f64::max);
    vec![Figure {
        name: "cheap call round trip / bare echo",
        value: best(&calls) / best(&echoes),
        unit: "ratio",
        goal: Goal::AtMost {
            must: 3.0,
            aim: 2.0,
        },
        with: json!({
            "callMs": rounded(best(&calls)),
            "callWorstRoundMs": rounded(worst(&calls)),
            "echoMs": rounded(best(&echoes)),
            "echoWorstRoundMs": rounded(worst(&echoes)),
        }),
    }]
}

async fn round(stream: &mut UnixStream, line: &[u8]) -> f64 {
    let mut samples = Samples::default();
    let mut buffer = [0; 4096];
    for _ in 0..CALLS {
        let started = Instant::now();
        stream.write_all(line).await.unwrap();
        let mut read = 0;
        while !buffer[..read].ends_with(b"\n") {
            read = stream.read(&mut buffer).await.unwrap();
        }
        samples.push(started.elapsed());
    }
    samples.p50()
}
