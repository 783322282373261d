use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};

use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, send_message, tool_call};
use crate::samples::Samples;

/// A new session is started after this many turns, so that the history stays short.
const TURNS_PER_SESSION: usize = 10;

/// A daemon whose turns are timed. Each reads a small file.
pub(crate) struct TurnStand {
    pub(crate) bench: BenchDaemon,
    session: String,
    watch: BenchClient,
    turns: usize,
    /// From the message to the first request.
    pub(crate) requests: Samples,
    /// From the first reply to the second request.
    pub(crate) tools: Samples,
}

impl TurnStand {
    pub(crate) async fn new(mut bench: BenchDaemon) -> Self {
        bench.daemon.write_project_file("small.txt", "a line\n");
        let session = bench.new_session().await;
        let watch = bench.watch(&session).await;
        Self {
            bench,
            session,
            watch,
            turns: 0,
            requests: Samples::default(),
            tools: Samples::default(),
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
    async fn begin_session(&mut self) {
        self.session = self.bench.new_session().await;
        self.watch = self.bench.watch(&self.session).await;
        self.timed().await;
        self.bench.model.take_requests();
    }

    async fn timed(&mut self) -> (Duration, Duration) {
        let (asked, told, asked_again) = (
            ResponseGate::new(),
            ResponseGate::new(),
            ResponseGate::new(),
        );
        let bench = &mut self.bench;
        bench.model.answer(asks_to_read(&told).hold(&asked));
        let done = ScriptedResponse::chat().text("done").finish("stop");
        bench
            .model
            .answer(ScriptedResponse::from(done).hold(&asked_again));
        let line = send_message(&self.session);

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
        self.watch.until("\"turn_outcome\"").await;
        bench.client.until("\"id\":1").await;
        (request, tool)
    }
}

/// A reply that reads a small file once the gate is open. It is sent in one write, and the
/// connection is closed after it: several small writes would run into delayed ACKs of tens of
/// milliseconds.
fn asks_to_read(gate: &ResponseGate) -> ScriptedResponse {
    let body = tool_call("Read", r#"{"path":"small.txt"}"#);
    ScriptedResponse::event_stream(Vec::new())
        .wait(gate)
        .write(body)
        .cut()
}
