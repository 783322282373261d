use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::ScriptedResponse;
use serde_json::json;

use crate::bench_daemon::{BenchDaemon, words};
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const PARENTS: usize = 1_000;

const TASKS: usize = 10;

const STARTS: usize = 20;

/// The time from start to ready of a home whose sessions have given tasks that are done, beside a home
/// with the same sessions, where a client has sent them the messages.
pub(crate) async fn start(program: &Path) -> Figure {
    let tables = "[agents.developer]\ndefaultQuota = 8\n";
    let (mut given, mut sent) = (
        BenchDaemon::with(program, tables).await,
        BenchDaemon::new(program).await,
    );
    for bench in [&given, &sent] {
        let answer = ScriptedResponse::event_stream(words(1));
        bench.model.fallback(answer);
    }
    for _ in 0..PARENTS {
        give_tasks(&mut given).await;
        send_messages(&mut sent).await;
    }
    let (mut with, mut without) = (Samples::default(), Samples::default());
    // In turns, so that both have the same machine.
    for _ in 0..STARTS {
        with.push(restart(&mut given).await);
        without.push(restart(&mut sent).await);
    }
    Figure {
        name: "start with 1,000 parents of 10 finished runtimes / the sessions alone",
        value: with.p50() / without.p50(),
        unit: "x",
        goal: Goal::AtMost {
            must: 1.1,
            aim: 1.0,
        },
        with: json!({
            "withMs": rounded(with.p50()),
            "withoutMs": rounded(without.p50()),
            "sessions": PARENTS * (TASKS + 1),
        }),
    }
}

async fn give_tasks(bench: &mut BenchDaemon) {
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    for _ in 0..TASKS {
        let task = json!({"sessionId": session, "agentType": "developer", "prompt": "go on"});
        bench.client.call("spawnRuntime", &task).await;
    }
    for _ in 0..TASKS {
        watch.until("\"runtime_finished\"").await;
    }
}

/// One session more than the tasks: the one that would have given them.
async fn send_messages(bench: &mut BenchDaemon) {
    let mut watches = Vec::new();
    for _ in 0..=TASKS {
        let session = bench.new_session().await;
        watches.push(bench.watch(&session).await);
        bench.send_message(&session).await;
    }
    for mut watch in watches {
        watch.until("\"turn_outcome\"").await;
    }
}

async fn restart(bench: &mut BenchDaemon) -> Duration {
    bench.daemon.stop().await;
    let started = Instant::now();
    bench.daemon.spawn().await;
    started.elapsed()
}
