use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::{Value, json};

use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, tool_call, words};
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const TABLES: &str =
    "[agents.developer]\n[orchestrator]\nmaxOpen = 300\n[permissions]\nmode = \"ask\"\n";

const ROUNDS: usize = 100;

/// The syncs before the reply to `spawnRuntime`: the record, and the entry of the session in the list of
/// those with work.
const SYNCS_OF_A_SPAWN: f64 = 2.0;

/// The syncs between a child's end and the request of its parent: the result in the queue, the list of
/// sessions with work, and the message that the turn begins with.
const SYNCS_OF_A_RESULT: f64 = 3.0;

/// How many tasks wait in one queue.
const QUEUED: usize = 256;

/// The overhead of tasks that sessions give to agents.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::with(program, TABLES).await;
    let mut figures = spawns(&mut bench).await;
    figures.push(questions(&mut bench).await);
    figures.push(places(&mut bench).await);
    figures
}

async fn spawn(bench: &mut BenchDaemon, session: &str, deliver: &str) -> String {
    let task = json!({
        "sessionId": session, "agentType": "developer", "prompt": "Do it.", "deliver": deliver,
    });
    let spawned = bench.client.call("spawnRuntime", &task).await;
    spawned["sessionId"].as_str().unwrap().to_owned()
}

/// An answer of one word in one write, and the gates at its request and before it.
fn one_word() -> (ScriptedResponse, ResponseGate, ResponseGate) {
    in_one_write(words(1))
}

/// One write and the end of the connection: several small writes would run into delayed ACKs of tens of
/// milliseconds.
fn in_one_write(body: Vec<u8>) -> (ScriptedResponse, ResponseGate, ResponseGate) {
    let (asked, told) = (ResponseGate::new(), ResponseGate::new());
    let answer = ScriptedResponse::event_stream(Vec::new()).wait(&told);
    (answer.write(body).cut().hold(&asked), asked, told)
}

async fn spawns(bench: &mut BenchDaemon) -> Vec<Figure> {
    let mut disk = DiskProbe::new(bench.daemon.root());
    let (mut accepted, mut delivered, mut syncs) =
        (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let session = bench.new_session().await;
        let mut watch = bench.watch(&session).await;
        let (answer, child_asked, child_told) = one_word();
        bench.model.answer(answer);
        let started = Instant::now();
        let child = spawn(bench, &session, "turn").await;
        accepted.push(started.elapsed());
        child_asked.reached().await;
        child_asked.open();
        child_told.reached().await;
        let (answer, asked, told) = one_word();
        bench.model.answer(answer);
        let mut child = bench.watch(&child).await;
        child_told.open();
        child.until("\"turn_outcome\"").await;
        let started = Instant::now();
        asked.reached().await;
        delivered.push(started.elapsed());
        asked.open();
        told.open();
        watch.until("\"turn_outcome\"").await;
        syncs.push(disk.sync());
    }
    let sync = syncs.p50();
    let figure = |name, samples: &Samples, count: f64, net: f64| Figure {
        name,
        value: samples.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: sync * count + net,
            aim: sync * count + net / 2.0,
        },
        with: json!({
            "p99Ms": rounded(samples.p99()),
            "syncs": count,
            "fdatasyncMs": rounded(sync),
            "netMs": rounded(samples.p50() - sync * count),
        }),
    };
    vec![
        figure(
            "spawnRuntime to its reply, p50",
            &accepted,
            SYNCS_OF_A_SPAWN,
            2.0,
        ),
        figure(
            "an agent's end to the request with its result, p50",
            &delivered,
            SYNCS_OF_A_RESULT,
            5.0,
        ),
    ]
}

/// From the call of the model that has to be asked about to the question at all who look.
async fn questions(bench: &mut BenchDaemon) -> Figure {
    let mut host = BenchClient::connect(&bench.daemon.socket()).await;
    host.call("subscribeHost", &json!({})).await;
    let mut shown = Samples::default();
    for _ in 0..ROUNDS {
        let session = bench.new_session().await;
        let mut watch = bench.watch(&session).await;
        let mut other = bench.watch(&session).await;
        let (answer, asked, told) = in_one_write(tool_call("Bash", r#"{"command":"touch x"}"#));
        bench.model.answer(answer);
        spawn(bench, &session, "none").await;
        asked.reached().await;
        asked.open();
        told.reached().await;
        let started = Instant::now();
        told.open();
        let record = watch.until("\"waiting_input\"").await.to_owned();
        other.until("\"waiting_input\"").await;
        host.until("\"waiting_input\"").await;
        shown.push(started.elapsed());
        let record: Value = serde_json::from_str(&record).unwrap();
        let question = &record["params"]["result"]["waitingFor"];
        let (end, asked, told) = one_word();
        bench.model.answer(end);
        asked.open();
        told.open();
        let deny = json!({
            "sessionId": question["sessionId"], "requestId": question["requestId"], "decision": "deny",
        });
        bench.client.call("respondPermission", &deny).await;
        watch.until("\"runtime_finished\"").await;
    }
    Figure {
        name: "an agent's question to parent, host feed and second client, p99",
        value: shown.p99(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 100.0,
            aim: 50.0,
        },
        with: json!({"p50Ms": rounded(shown.p50()), "rounds": ROUNDS}),
    }
}

/// How often the places of a long queue are recorded while it empties.
async fn places(bench: &mut BenchDaemon) -> Figure {
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    let (answer, asked, told) = one_word();
    bench.model.answer(answer);
    bench
        .model
        .fallback(ScriptedResponse::event_stream(words(1)));
    spawn(bench, &session, "none").await;
    asked.reached().await;
    for _ in 0..QUEUED {
        spawn(bench, &session, "none").await;
    }
    let before = recorded(bench, &session);
    let started = Instant::now();
    asked.open();
    told.open();
    for _ in 0..=QUEUED {
        watch.until("\"runtime_finished\"").await;
    }
    let took = started.elapsed();
    let records = recorded(bench, &session) - before;
    // The first record of each second comes at once, so that a short run has one more.
    let seconds = took.as_secs_f64().ceil().max(1.0);
    Figure {
        name: "records of places a second, 256 queued",
        value: records as f64 / seconds,
        unit: "1/s",
        goal: Goal::AtMost {
            must: 2.0,
            aim: 1.0,
        },
        with: json!({
            "records": records,
            "seconds": rounded(took.as_secs_f64()),
            "perTaskMs": rounded(per_task(took)),
        }),
    }
}

fn per_task(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3 / (QUEUED + 1) as f64
}

fn recorded(bench: &BenchDaemon, session: &str) -> usize {
    let log = bench.daemon.log(session);
    let places = log
        .iter()
        .filter(|record| record["type"] == "runtime_queue_changed");
    places.count()
}
