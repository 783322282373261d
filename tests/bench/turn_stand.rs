use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};

use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, send_message, tool_call};
use crate::samples::Samples;

/// A new session is started after this many turns, so that the history stays short.
const TURNS_PER_SESSION: usize = 10;

/// A daemon whose turns are timed. Each calls one tool.
pub(crate) struct TurnStand {
    pub(crate) bench: BenchDaemon,
    /// The event stream of the reply that calls it.
    call: Vec<u8>,
    session: String,
    watch: BenchClient,
    turns: usize,
    /// From the message to the first request.
    pub(crate) requests: Samples,
    /// From the first reply to the second request.
    pub(crate) tools: Samples,
    /// From the message to the second request, in the first turns of sessions.
    pub(crate) firsts: Samples,
}

impl TurnStand {
    /// Each turn reads a small file.
    pub(crate) async fn new(bench: BenchDaemon) -> Self {
        bench.daemon.write_project_file("small.txt", "a line\n");
        Self::calling(bench, "Read", r#"{"path":"small.txt"}"#).await
    }

    pub(crate) async fn calling(mut bench: BenchDaemon, tool: &str, arguments: &str) -> Self {
        let session = bench.new_session().await;
        let watch = bench.watch(&session).await;
        Self {
            bench,
            call: tool_call(tool, arguments),
            session,
            watch,
            turns: 0,
            requests: Samples::default(),
            tools: Samples::default(),
            firsts: Samples::default(),
        }
    }

    /// Runs a turn.
    pub(crate) async fn turn(&mut self) {
        if self.turns.is_multiple_of(TURNS_PER_SESSION) {
            self.begin_session().await;
        }
        self.turns += 1;
        let (request, tool) = self.timed().await;
        self.requests.push(request);
        self.tools.push(tool);
    }

    /// The first turn of a session freezes its instructions; later ones do not.
    pub(crate) async fn begin_session(&mut self) {
        self.session = self.bench.new_session().await;
        self.watch = self.bench.watch(&self.session).await;
        let (request, tool) = self.timed().await;
        self.firsts.push(request + tool);
        self.bench.model.take_requests();
    }

    async fn timed(&mut self) -> (Duration, Duration) {
        timed_turn(&mut self.bench, &mut self.watch, &self.session, &self.call).await
    }
}

/// Runs a turn that calls a tool, in a session that `watch` follows: from the message to the request, and from the
/// answer with the call to the next request.
pub(crate) async fn timed_turn(
    bench: &mut BenchDaemon,
    watch: &mut BenchClient,
    session: &str,
    call: &[u8],
) -> (Duration, Duration) {
    let (asked, told, asked_again) = (
        ResponseGate::new(),
        ResponseGate::new(),
        ResponseGate::new(),
    );
    bench.model.answer(calls(call, &told).hold(&asked));
    let done = ScriptedResponse::chat().text("done").finish("stop");
    bench
        .model
        .answer(ScriptedResponse::from(done).hold(&asked_again));
    let line = send_message(session);

    let started = Instant::now();
    bench.client.send(&line).await;
    asked.reached().await;
    let request = started.elapsed();
    asked.open();
    told.reached().await;

    let started = Instant::now();
    told.open();
    asked_again.reached().await;
    let tool = started.elapsed();
    asked_again.open();
    watch.until("\"turn_outcome\"").await;
    bench.client.until("\"id\":1").await;
    (request, tool)
}

/// A reply that calls a tool once the gate is open. It is sent in one write, and the
/// connection is closed after it: several small writes would run into delayed ACKs of tens of
/// milliseconds.
fn calls(call: &[u8], gate: &ResponseGate) -> ScriptedResponse {
    ScriptedResponse::event_stream(Vec::new())
        .wait(gate)
        .write(call.to_vec())
        .cut()
}

/// Runs turns of both, so that both see the same machine. Each follows itself as often as the other.
pub(crate) async fn in_turns(one: &mut TurnStand, other: &mut TurnStand, rounds: usize) {
    for round in 0..rounds {
        if round % 2 == 0 {
            one.turn().await;
            other.turn().await;
        } else {
            other.turn().await;
            one.turn().await;
        }
    }
}
