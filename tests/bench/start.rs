use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;
use crate::stand::Filled;

const STARTS: usize = 20;

/// From the start of the process to its word that it is ready, in a home that is not there yet.
pub(crate) async fn empty_home(program: &Path) -> Figure {
    let mut samples = Samples::default();
    for _ in 0..STARTS {
        let mut daemon = DaemonUnderTest::new(program);
        samples.push(start(&mut daemon).await);
    }
    figure("start to ready, empty home", &samples, 30.0, 20.0)
}

/// The same in a home with many sessions.
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
