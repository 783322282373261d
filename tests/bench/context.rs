use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::{Value, json};

use crate::bench_daemon::{BenchDaemon, send_message};
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::long_history::{self, CHARACTERS};
use crate::samples::Samples;

const MESSAGES: usize = 10_000;

const TURNS: usize = 60;

/// After so many turns the short session is replaced, so that it stays short.
const TURNS_PER_SESSION: usize = 10;

const RESTARTS: usize = 5;

/// What a long conversation adds between a message and the request to the model.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    let mut disk = DiskProbe::new(bench.daemon.root());
    let long = long_session(&mut bench).await;
    to_request(&mut bench, &long).await;
    let (mut short_times, mut long_times, mut syncs) =
        (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..TURNS / TURNS_PER_SESSION {
        let short = bench.new_session().await;
        to_request(&mut bench, &short).await;
        for _ in 0..TURNS_PER_SESSION {
            short_times.push(to_request(&mut bench, &short).await);
            long_times.push(to_request(&mut bench, &long).await);
            syncs.push(disk.sync());
        }
    }
    let bytes = bench
        .model
        .requests()
        .last()
        .map_or(0, |last| last.body.len());
    let (short_cold, long_cold) = cold(&mut bench, &long).await;
    vec![Figure {
        name: "sendMessage to request: 10,000 messages less none, p50",
        value: long_times.p50() - short_times.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 5.0,
            aim: 3.0,
        },
        with: json!({
            "longMs": rounded(long_times.p50()),
            "longP99Ms": rounded(long_times.p99()),
            "shortMs": rounded(short_times.p50()),
            "fdatasyncMs": rounded(syncs.p50()),
            "afterStartLongMs": rounded(long_cold.p50()),
            "afterStartShortMs": rounded(short_cold.p50()),
            "charactersAMessage": CHARACTERS,
            "requestBytes": bytes,
        }),
    }]
}

/// A session with one turn of the daemon's own, which freezes its instructions, and many that were
/// written without it.
async fn long_session(bench: &mut BenchDaemon) -> String {
    let session = bench.new_session().await;
    to_request(bench, &session).await;
    bench.daemon.stop().await;
    let dir = bench.daemon.session_dir(&session);
    long_history::append_turns(&dir, &session, MESSAGES / 2 - 1, CHARACTERS);
    bench.restart().await;
    session
}

/// The times of the first turns of a daemon that has just started: nothing of a session is in
/// memory but what loading it brings. The session is loaded before, and a connection to the
/// endpoint is open.
async fn cold(bench: &mut BenchDaemon, long: &str) -> (Samples, Samples) {
    let (mut short_times, mut long_times) = (Samples::default(), Samples::default());
    let short = bench.new_session().await;
    to_request(bench, &short).await;
    for _ in 0..RESTARTS {
        bench.daemon.stop().await;
        bench.restart().await;
        let other = bench.new_session().await;
        to_request(bench, &other).await;
        for (session, times) in [(&*short, &mut short_times), (long, &mut long_times)] {
            let params = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
            bench.client.call("getEvents", &params).await;
            times.push(to_request(bench, session).await);
        }
    }
    (short_times, long_times)
}

/// Plays a turn with a short answer. How long it took until the endpoint had read the request.
async fn to_request(bench: &mut BenchDaemon, session: &str) -> Duration {
    let mut watch = bench.watch(session).await;
    let asked = ResponseGate::new();
    bench.model.answer(short_answer(&asked));
    let line = send_message(session);
    let started = Instant::now();
    bench.client.send(&line).await;
    asked.reached().await;
    let request = started.elapsed();
    asked.open();
    watch.until("\"turn_outcome\"").await;
    bench.client.until("\"id\":1").await;
    request
}

/// An answer in one write, so that no part of it waits for the acknowledgement of another.
fn short_answer(asked: &ResponseGate) -> ScriptedResponse {
    let delta = json!({"index": 0, "delta": {"content": "done"}, "finish_reason": null});
    let end = json!({"index": 0, "delta": {}, "finish_reason": "stop"});
    let event = |choice: Value| format!("data: {}\n\n", json!({"choices": [choice]}));
    let body = event(delta) + &event(end) + "data: [DONE]\n\n";
    ScriptedResponse::event_stream(body.into_bytes()).hold(asked)
}
