use std::fs;
use std::path::Path;
use std::time::Instant;

use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use crate::bench_client::BenchClient;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const WRITES: usize = 20;

/// The time from the write of the user's file to the event at a subscriber.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut daemon = DaemonUnderTest::new(program);
    daemon.configure("");
    daemon.spawn().await;
    let mut client = BenchClient::connect(&daemon.socket()).await;
    client.call("subscribeHost", &json!({})).await;
    client.until("\"snapshot\"").await;
    let mut samples = Samples::default();
    for number in 1..=WRITES {
        let new = daemon.home().join("config.toml.new");
        fs::write(&new, format!("[runtime]\nmaxSteps = {number}\n")).unwrap();
        let started = Instant::now();
        fs::rename(&new, daemon.home().join("config.toml")).unwrap();
        client.until("\"config_changed\"").await;
        samples.push(started.elapsed());
    }
    vec![Figure {
        name: "configuration write to event",
        value: samples.max(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 500.0,
            aim: 300.0,
        },
        with: json!({"p50Ms": rounded(samples.p50()), "writes": WRITES}),
    }]
}
