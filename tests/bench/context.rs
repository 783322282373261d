use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::{Value, json};

use crate::disk::Disk;
use crate::figure::{Figure, Goal, rounded};
use crate::long_history::{self, CHARACTERS};
use crate::samples::Samples;
use crate::stand::{Stand, send_message};

const MESSAGES: usize = 10_000;

const TURNS: usize = 60;

/// After so many turns the short session is replaced, so that it stays short.
const TURNS_PER_SESSION: usize = 10;

const RESTARTS: usize = 5;

/// What a long conversation adds between a message and the request to the model.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut stand = Stand::new(program).await;
    let mut disk = Disk::new(stand.daemon.root());
    let long = long_session(&mut stand).await;
    to_request(&mut stand, &long).await;
    let (mut short_times, mut long_times, mut syncs) =
        (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..TURNS / TURNS_PER_SESSION {
        let short = stand.new_session().await;
        to_request(&mut stand, &short).await;
        for _ in 0..TURNS_PER_SESSION {
            short_times.push(to_request(&mut stand, &short).await);
            long_times.push(to_request(&mut stand, &long).await);
            syncs.push(disk.sync());
        }
    }
    let bytes = stand
        .model
        .requests()
        .last()
        .map_or(0, |last| last.body.len());
    let (short_cold, long_cold) = cold(&mut stand, &long).await;
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
async fn long_session(stand: &mut Stand) -> String {
    let session = stand.new_session().await;
    to_request(stand, &session).await;
    stand.daemon.stop().await;
    let dir = stand.daemon.session_dir(&session);
    long_history::append_turns(&dir, &session, MESSAGES / 2 - 1);
    stand.restart().await;
    session
}

/// The times of the first turns of a daemon that has just started: nothing of a session is in
/// memory but what loading it brings. The session is loaded before, and a connection to the
/// endpoint is open.
async fn cold(stand: &mut Stand, long: &str) -> (Samples, Samples) {
    let (mut short_times, mut long_times) = (Samples::default(), Samples::default());
    let short = stand.new_session().await;
    to_request(stand, &short).await;
    for _ in 0..RESTARTS {
        stand.daemon.stop().await;
        stand.restart().await;
        let other = stand.new_session().await;
        to_request(stand, &other).await;
        for (session, times) in [(&*short, &mut short_times), (long, &mut long_times)] {
            let params = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
            stand.wire.call("getEvents", &params).await;
            times.push(to_request(stand, session).await);
        }
    }
    (short_times, long_times)
}

/// Plays a turn with a short answer. How long it took until the endpoint had read the request.
async fn to_request(stand: &mut Stand, session: &str) -> Duration {
    let mut watch = stand.watch(session).await;
    let asked = ResponseGate::new();
    stand.model.answer(short_answer(&asked));
    let line = send_message(session);
    let started = Instant::now();
    stand.wire.send(&line).await;
    asked.reached().await;
    let request = started.elapsed();
    asked.open();
    watch.until("\"turn_outcome\"").await;
    stand.wire.until("\"id\":1").await;
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
