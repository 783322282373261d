use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::listing;
use crate::samples::Samples;

const CLIENT: &str = env!("CARGO_BIN_EXE_scorelctl-under-test");

const SESSIONS: usize = 10_000;

const RUNS: usize = 50;

/// What a person waits for: the whole run of `scorelctl`, with a home of many sessions.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    for _ in 0..SESSIONS {
        bench.new_session().await;
    }
    let listed = run(&bench.daemon, &["sessions"]).1;
    assert_eq!(listed, SESSIONS, "all are listed");
    let mut figures = vec![
        figure(
            &bench.daemon,
            "scorelctl sessions, 10,000",
            &["sessions"],
            150.0,
        ),
        figure(
            &bench.daemon,
            "scorelctl status --short",
            &["status", "--short"],
            15.0,
        ),
    ];
    figures.extend(listing::after_a_start(&mut bench).await);
    figures
}

fn figure(daemon: &DaemonUnderTest, name: &'static str, arguments: &[&str], must: f64) -> Figure {
    let mut samples = Samples::default();
    for _ in 0..RUNS {
        samples.push(run(daemon, arguments).0);
    }
    Figure {
        name,
        value: samples.p50(),
        unit: "ms",
        goal: Goal::AtMost { must, aim: must },
        with: json!({"p95Ms": rounded(samples.p95()), "runs": RUNS, "sessions": SESSIONS}),
    }
}

/// The time from the start of the program to its end, and how many lines it has printed.
fn run(daemon: &DaemonUnderTest, arguments: &[&str]) -> (Duration, usize) {
    let mut command = Command::new(CLIENT);
    command
        .env_clear()
        .env("SCOREL_HOME", daemon.home())
        .current_dir(daemon.project())
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let started = Instant::now();
    let output = command.output().unwrap();
    let took = started.elapsed();
    assert!(output.status.success(), "{arguments:?}");
    let lines = output.stdout.iter().filter(|&&byte| byte == b'\n').count();
    (took, lines)
}
