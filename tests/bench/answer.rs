use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use scorel_testkit::ScriptedChat;
use serde_json::{Value, json};

use crate::bench_client::{BenchClient, request};
use crate::bench_daemon::BenchDaemon;
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const QUESTIONS: usize = 50;

/// Before an answer: no person reads a question faster.
const READING: Duration = Duration::from_millis(50);

/// The shell says when it runs the command, in microseconds and without starting a program.
const COMMAND: &str = "echo started=$EPOCHREALTIME";

/// The syncs between an answer and the command: the decision, and the start of the tool.
const SYNCS: f64 = 2.0;

/// The time from a yes to the command that it was about.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    bench
        .daemon
        .configure_more("[permissions]\nask = [\"Bash(echo *)\"]\n");
    let mut disk = DiskProbe::new(bench.daemon.root());
    let (mut answers, mut syncs) = (Samples::default(), Samples::default());
    let (mut at_once, mut forks) = (Samples::default(), Samples::default());
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    for _ in 0..QUESTIONS {
        answers.push(question(&mut bench, &mut watch, &session, READING).await);
        at_once.push(question(&mut bench, &mut watch, &session, Duration::ZERO).await);
        syncs.push(disk.sync());
        forks.push(fork());
    }
    let sync = syncs.p50();
    let net = answers.p50() - sync * SYNCS;
    vec![Figure {
        name: "answer to start of the command net of syncs, p50",
        value: net,
        unit: "ms",
        goal: Goal::AtMost {
            must: 5.0,
            aim: 4.0,
        },
        with: json!({
            "grossMs": rounded(answers.p50()),
            "grossP99Ms": rounded(answers.p99()),
            "answeredAtOnceMs": rounded(at_once.p50()),
            "forkMs": rounded(forks.p50()),
            "forks": rounded(net / forks.p50()),
            "syncs": SYNCS,
            "fdatasyncMs": rounded(sync),
        }),
    }]
}

/// The time that this machine takes to start a small program and to wait for its end.
fn fork() -> Duration {
    let begin = Instant::now();
    Command::new("/bin/true").status().unwrap();
    begin.elapsed()
}

/// A turn that asks once. Returns the time from the answer to the command.
async fn question(
    bench: &mut BenchDaemon,
    watch: &mut BenchClient,
    session: &str,
    reading: Duration,
) -> Duration {
    let input = json!({ "command": COMMAND }).to_string();
    let call = ScriptedChat::default().tool_call("call_1", "Bash", &input);
    bench.model.answer(call.finish("tool_calls"));
    let done = ScriptedChat::default().text("done").finish("stop");
    bench.model.answer(done);
    bench.send_message(session).await;
    let asked: Value = serde_json::from_str(watch.until("\"permission_request\"").await).unwrap();
    let params = json!({
        "sessionId": session,
        "requestId": find(&asked, "requestId").unwrap(),
        "decision": "once",
    });
    let line = request("respondPermission", &params);
    tokio::time::sleep(reading).await;
    let answered = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    bench.client.send(&line).await;
    let result = watch.until("started=1").await;
    let started = moment(result);
    watch.until("\"turn_outcome\"").await;
    bench.client.until("\"id\":1").await;
    started - answered
}

/// The first value of a key, however deep.
fn find<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) => fields
            .get(key)
            .or_else(|| fields.values().find_map(|it| find(it, key))),
        Value::Array(items) => items.iter().find_map(|it| find(it, key)),
        _ => None,
    }
}

/// The time that the shell printed; a locale may separate the fraction with a comma.
fn moment(line: &str) -> Duration {
    let (_, rest) = line.split_once("started=").unwrap();
    let text: String = rest
        .chars()
        .take_while(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ','))
        .collect();
    let seconds: f64 = text.replace(',', ".").parse().unwrap();
    Duration::from_secs_f64(seconds)
}
