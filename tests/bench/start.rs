use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use crate::bench_daemon::Filled;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const STARTS: usize = 20;

/// The time from the start of the process to its readiness, with a new home.
pub(crate) async fn empty_home(program: &Path) -> Figure {
    let mut samples = Samples::default();
    for _ in 0..STARTS {
        let mut daemon = DaemonUnderTest::new(program);
        samples.push(start(&mut daemon).await);
    }
    figure("start to ready, empty home", &samples, 30.0, 20.0)
}

/// The same with a home that has many sessions.
pub(crate) async fn filled_home(filled: &mut Filled) -> Figure {
    let mut samples = Samples::default();
    for _ in 0..STARTS {
        filled.daemon.stop().await;
        samples.push(start(&mut filled.daemon).await);
    }
    figure("start to ready, 1,000 sessions", &samples, 60.0, 50.0)
}

async fn start(daemon: &mut DaemonUnderTest) -> Duration {
    let started = Instant::now();
    daemon.spawn().await;
    started.elapsed()
}

fn figure(name: &'static str, samples: &Samples, must: f64, aim: f64) -> Figure {
    Figure {
        name,
        value: samples.p50(),
        unit: "ms",
        goal: Goal::AtMost { must, aim },
        with: json!({"p99Ms": rounded(samples.p99()), "starts": STARTS}),
    }
}
