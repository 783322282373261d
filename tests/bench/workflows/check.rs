use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use super::package::write_package;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const CLIENT: &str = env!("CARGO_BIN_EXE_scorelctl-under-test");

/// The most that a graph may have.
const NODES: usize = 1_000;

const RUNS: usize = 50;

/// The whole run of `scorelctl workflow check`, which has no daemon.
pub(super) fn measure() -> Figure {
    let dir = TempDir::new().unwrap();
    write_package(dir.path(), NODES);
    let mut samples = Samples::default();
    for _ in 0..RUNS {
        samples.push(check(&dir));
    }
    Figure {
        name: "workflow check, 1,000 nodes, p50",
        value: samples.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 200.0,
            aim: 50.0,
        },
        with: json!({"p95Ms": rounded(samples.p95()), "runs": RUNS}),
    }
}

fn check(package: &TempDir) -> Duration {
    let mut command = Command::new(CLIENT);
    command
        .env_clear()
        .env("SCOREL_HOME", package.path().join("no-home"))
        .args(["workflow", "check"])
        .arg(package.path())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let started = Instant::now();
    let output = command.output().unwrap();
    let took = started.elapsed();
    assert!(output.status.success(), "the package has no problem");
    let lines = output.stdout.split(|&byte| byte == b'\n').count();
    assert!(lines > NODES, "the plan shows each node");
    took
}
