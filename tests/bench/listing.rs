use std::time::Instant;

use serde_json::{Value, json};

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const STARTS: usize = 20;

/// The first `listSessions` of a daemon, after one that has ended cleanly and after one that was killed.
pub(crate) async fn after_a_start(bench: &mut BenchDaemon) -> Vec<Figure> {
    let (mut clean, mut killed) = (Samples::default(), Samples::default());
    for start in 0..STARTS {
        bench.daemon.stop().await;
        let listed = first(bench, &mut clean).await;
        let title = format!("renamed {start}");
        let renamed = json!({"sessionId": listed["sessions"][0]["sessionId"], "title": title});
        bench.client.call("updateSession", &renamed).await;
        bench.daemon.kill().await;
        let listed = first(bench, &mut killed).await;
        assert_eq!(listed["sessions"][0]["title"], title);
    }
    vec![
        figure("first listSessions after a stop, 10,000", &clean),
        figure("first listSessions after a kill, 10,000", &killed),
    ]
}

async fn first(bench: &mut BenchDaemon, samples: &mut Samples) -> Value {
    bench.restart().await;
    let started = Instant::now();
    let listed = bench.client.call("listSessions", &json!({})).await;
    samples.push(started.elapsed());
    listed
}

fn figure(name: &'static str, samples: &Samples) -> Figure {
    Figure {
        name,
        value: samples.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 100.0,
            aim: 50.0,
        },
        with: json!({"p95Ms": rounded(samples.p95()), "starts": STARTS}),
    }
}
