use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench_daemon::BenchDaemon;
use crate::disk_probe::DiskProbe;
use crate::figure::{Figure, Goal, rounded};
use crate::long_history;
use crate::samples::Samples;

const MESSAGES: usize = 10_000;

/// Of one message.
const CHARACTERS: usize = 1024;

const ROUNDS: usize = 100;

/// How long a move of the leaf takes in a long conversation.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    let mut disk = DiskProbe::new(bench.daemon.root());
    let session = bench.new_session().await;
    bench.daemon.stop().await;
    let dir = bench.daemon.session_dir(&session);
    long_history::append_turns(&dir, &session, MESSAGES / 2, CHARACTERS);
    bench.restart().await;
    let (first, last) = ends(&mut bench, &session).await;
    let (mut rewinds, mut branches, mut syncs) =
        (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let back = json!({
            "sessionId": session, "targetEventId": first, "expectedLeafId": last,
        });
        rewinds.push(timed(&mut bench, "rewind", &back).await);
        let forth = json!({
            "sessionId": session, "leafEventId": last, "expectedLeafId": first,
        });
        branches.push(timed(&mut bench, "branch", &forth).await);
        syncs.push(disk.sync());
    }
    let figure = |name, times: &Samples| Figure {
        name,
        value: times.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 10.0,
            aim: 5.0,
        },
        with: json!({
            "p99Ms": rounded(times.p99()),
            "fdatasyncMs": rounded(syncs.p50()),
            "messages": MESSAGES,
            "charactersAMessage": CHARACTERS,
        }),
    };
    vec![
        figure("rewind, p50", &rewinds),
        figure("branch, p50", &branches),
    ]
}

/// Where the first turn ends, and the last.
async fn ends(bench: &mut BenchDaemon, session: &str) -> (Value, Value) {
    let params = json!({"sessionId": session, "limit": 10});
    let page = bench.client.call("getTree", &params).await;
    let nodes = page["nodes"].as_array().unwrap();
    let first = nodes.iter().find(|node| node["turnEnd"] == true).unwrap();
    (first["id"].clone(), page["activeLeafId"].clone())
}

async fn timed(bench: &mut BenchDaemon, method: &str, params: &Value) -> Duration {
    let started = Instant::now();
    bench.client.call(method, params).await;
    started.elapsed()
}
