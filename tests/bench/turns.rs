use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::json;

use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, send_message, tool_call};
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const TURNS: usize = 200;

/// A new session is started after this many turns, so that the history stays short.
const TURNS_PER_SESSION: usize = 10;

/// The syncs between a message and the request to the model: the message.
const SYNCS_BEFORE_REQUEST: f64 = 1.0;

/// The syncs between a reply and the next request: the reply, the start of its tool call, and the
/// result.
const SYNCS_OF_A_TOOL: f64 = 3.0;

/// The overhead of a turn over the model's and the disk's time.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    bench.daemon.write_project_file("small.txt", "a line\n");
    let mut disk = DiskProbe::new(bench.daemon.root());
    let (mut requests, mut tools, mut syncs) =
        (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..TURNS / TURNS_PER_SESSION {
        let session = bench.new_session().await;
        let mut watch = bench.watch(&session).await;
        // The first turn of a session freezes its instructions; later ones do not.
        turn(&mut bench, &mut watch, &session).await;
        for _ in 0..TURNS_PER_SESSION {
            let (request, tool) = turn(&mut bench, &mut watch, &session).await;
            requests.push(request);
            tools.push(tool);
            syncs.push(disk.sync());
        }
    }
    let sync = syncs.p50();
    let disk_part = sync * SYNCS_BEFORE_REQUEST;
    let request = Figure {
        name: "sendMessage to request at the model server, p50",
        value: requests.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: disk_part + 1.5,
            aim: disk_part + 1.0,
        },
        with: json!({
            "p99Ms": rounded(requests.p99()),
            "syncs": SYNCS_BEFORE_REQUEST,
            "fdatasyncMs": rounded(sync),
            "netMs": rounded(requests.p50() - disk_part),
        }),
    };
    let tool = Figure {
        name: "tool round trip net of syncs, p50",
        value: tools.p50() - sync * SYNCS_OF_A_TOOL,
        unit: "ms",
        goal: Goal::AtMost {
            must: 1.5,
            aim: 1.0,
        },
        with: json!({
            "grossMs": rounded(tools.p50()),
            "grossP99Ms": rounded(tools.p99()),
            "syncs": SYNCS_OF_A_TOOL,
            "fdatasyncMs": rounded(sync),
        }),
    };
    vec![request, tool]
}

/// Runs a turn that reads a small file. Returns the times from the message to the first request,
/// and from the first reply to the second request.
async fn turn(
    bench: &mut BenchDaemon,
    watch: &mut BenchClient,
    session: &str,
) -> (Duration, Duration) {
    let (asked, told, asked_again) = (
        ResponseGate::new(),
        ResponseGate::new(),
        ResponseGate::new(),
    );
    bench.model.answer(asks_to_read(&told).hold(&asked));
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
