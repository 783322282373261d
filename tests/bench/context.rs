use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::bench_daemon::{BenchDaemon, send_message};
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::long_history;
use crate::samples::Samples;

const MESSAGES: usize = 10_000;

/// Of one message.
const CHARACTERS: usize = 1024;

/// How many messages a summary stands for in the session with a barrier.
const COVERED: usize = 100_000;

const TURNS: usize = 60;

/// After so many turns the short session is replaced, so that it stays short.
const TURNS_PER_SESSION: usize = 10;

const RESTARTS: usize = 5;

/// How long it takes from a message to the request to the model in a long conversation.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    let mut disk = DiskProbe::new(bench.daemon.root());
    let long = long_session(&mut bench, 0).await;
    let behind = long_session(&mut bench, COVERED).await;
    for session in [&long, &behind] {
        to_request(&mut bench, session).await;
    }
    let requests = bench.model.take_requests();
    let bytes = requests.last().map_or(0, |last| last.body.len());
    let mut times = Times {
        bytes,
        ..Times::default()
    };
    for _ in 0..TURNS / TURNS_PER_SESSION {
        let short = bench.new_session().await;
        to_request(&mut bench, &short).await;
        for _ in 0..TURNS_PER_SESSION {
            times.short.push(to_request(&mut bench, &short).await);
            times.long.push(to_request(&mut bench, &long).await);
            times.syncs.push(disk.sync());
            times.behind.push(to_request(&mut bench, &behind).await);
            let bytes = bench
                .model
                .take_requests()
                .last()
                .map(|last| last.body.len());
            times.bytes = bytes.unwrap_or_default();
            times.bare.push(bare_exchange(times.bytes).await);
        }
    }
    let cold = cold(&mut bench, &long).await;
    times.figures(&cold)
}

#[derive(Debug, Default)]
struct Times {
    short: Samples,
    long: Samples,
    /// In a conversation that has a barrier before as many messages.
    behind: Samples,
    /// One record.
    syncs: Samples,
    /// As many bytes over a socket, from memory and without a daemon.
    bare: Samples,
    bytes: usize,
}

impl Times {
    fn figures(&self, (short_cold, long_cold): &(Samples, Samples)) -> Vec<Figure> {
        let next = Figure {
            name: "sendMessage to request: 10,000 messages of 1 KiB less none, p50",
            value: self.long.p50() - self.short.p50(),
            unit: "ms",
            goal: Goal::AtMost {
                must: 5.0,
                aim: 3.0,
            },
            with: json!({
                "longMs": rounded(self.long.p50()),
                "longP99Ms": rounded(self.long.p99()),
                "longNetOfSyncMs": rounded(self.long.p50() - self.syncs.p50()),
                "shortMs": rounded(self.short.p50()),
                "fdatasyncMs": rounded(self.syncs.p50()),
                "bareExchangeMs": rounded(self.bare.p50()),
                "afterStartLongMs": rounded(long_cold.p50()),
                "afterStartShortMs": rounded(short_cold.p50()),
                "charactersAMessage": CHARACTERS,
                "requestBytes": self.bytes,
            }),
        };
        let ratio = self.behind.p50() / self.long.p50();
        let barrier = Figure {
            name: "the same behind a barrier after 100,000 messages / without them",
            // A fifth in either direction.
            value: ratio.max(1.0 / ratio),
            unit: "times",
            goal: Goal::AtMost {
                must: 1.2,
                aim: 1.1,
            },
            with: json!({
                "behindMs": rounded(self.behind.p50()),
                "behindP99Ms": rounded(self.behind.p99()),
                "withoutMs": rounded(self.long.p50()),
                "ratio": rounded(ratio),
                "covered": COVERED,
            }),
        };
        vec![next, barrier]
    }
}

/// A session with one turn of the daemon's own, which freezes its instructions, and many that were
/// written without it; `covered` messages are behind a barrier.
async fn long_session(bench: &mut BenchDaemon, covered: usize) -> String {
    let session = bench.new_session().await;
    to_request(bench, &session).await;
    bench.daemon.stop().await;
    let dir = bench.daemon.session_dir(&session);
    if covered > 0 {
        long_history::append_turns(&dir, &session, covered / 2, CHARACTERS);
        long_history::append_barrier(&dir, &session);
    }
    long_history::append_turns(&dir, &session, MESSAGES / 2 - 1, CHARACTERS);
    bench.restart().await;
    session
}

/// How long it takes until a reader has as many bytes as a request has, which another thread writes
/// to a loopback socket: what no request can be faster than.
async fn bare_exchange(bytes: usize) -> Duration {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (ready, begin) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        let mut socket = std::net::TcpStream::connect(address).unwrap();
        let body = vec![b'x'; bytes];
        begin.recv().unwrap();
        socket.write_all(&body).unwrap();
    });
    let (mut socket, _) = listener.accept().await.unwrap();
    let started = Instant::now();
    ready.send(()).unwrap();
    // As the endpoint reads a request.
    let mut body = vec![0; bytes];
    socket.read_exact(&mut body).await.unwrap();
    let took = started.elapsed();
    writer.join().unwrap();
    took
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
    // A request is as large as its conversation: the endpoint keeps one of them.
    drop(bench.model.take_requests());
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
