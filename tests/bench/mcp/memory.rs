use std::path::Path;
use std::time::Duration;

use scorel_testkit::ScriptedResponse;
use serde_json::json;
use tokio::time::sleep;

use super::installed::Installed;
use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal};
use crate::memory::PERIOD_OF_SWEEPS;

const SERVERS: usize = 50;

/// Between two questions whether all are ready.
const PAUSE: Duration = Duration::from_millis(100);

/// The memory of the daemon with servers that are ready, beside one without them that has had the same turn.
pub(super) async fn measure(program: &Path) -> Figure {
    let installed = Installed::Prompt {
        servers: SERVERS,
        tools: 10,
        description: 200,
    };
    let mut with = installed.start(program).await;
    let mut without = Installed::None.start(program).await;
    for bench in [&mut with, &mut without] {
        turn(bench).await;
    }
    // On a busy machine some are late and join after the turn has begun.
    while ready(&mut with).await < SERVERS {
        sleep(PAUSE).await;
    }
    sleep(PERIOD_OF_SWEEPS).await;
    let [kib, without_kib] = [&with, &without].map(|bench| bench.daemon.resident_kib());
    Figure {
        name: "memory of the daemon for a ready server",
        value: kib.saturating_sub(without_kib) as f64 / SERVERS as f64,
        unit: "KiB",
        goal: Goal::AtMost {
            must: 300.0,
            aim: 150.0,
        },
        with: json!({"servers": SERVERS, "kib": kib, "withoutKib": without_kib}),
    }
}

async fn ready(bench: &mut BenchDaemon) -> usize {
    let status = bench.client.call("getStatus", &json!({})).await;
    let processes = status["processes"].as_array().unwrap().iter();
    processes.filter(|it| it["state"] == "ready").count()
}

async fn turn(bench: &mut BenchDaemon) {
    let done = ScriptedResponse::chat().text("done").finish("stop");
    bench.model.answer(done);
    let session = bench.new_session().await;
    let mut watch = bench.watch(&session).await;
    bench.send_message(&session).await;
    watch.until("\"turn_outcome\"").await;
}
