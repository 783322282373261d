use std::path::Path;
use std::time::{Duration, Instant};

use scorel_testkit::DaemonUnderTest;
use serde_json::json;
use tokio::time::sleep;

use super::installed::Installed;
use super::to_request::to_request;
use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::memory::{PERIOD_OF_SWEEPS, median_kib};
use crate::samples::Samples;

/// Servers of which none answers.
const SERVERS: usize = 100;

/// Starts of each daemon; one takes a tenth longer than another.
const STARTS: usize = 200;

/// A daemon whose servers all hang, beside one that has none.
pub(super) async fn measure(program: &Path) -> Vec<Figure> {
    let mut figures = vec![start(program).await, idle(program).await];
    figures.extend(turns(program).await);
    figures
}

/// No start of a daemon waits for a server.
async fn start(program: &Path) -> Figure {
    let (mut with, mut without) = (Samples::default(), Samples::default());
    for round in 0..STARTS {
        let mut both = [
            (Installed::Hanging(SERVERS), &mut with),
            (Installed::None, &mut without),
        ];
        // The first of two starts is the slower one.
        both.rotate_left(round % 2);
        for (installed, samples) in both {
            let (mut daemon, tables) = installed.daemon(program);
            daemon.configure(&tables);
            let started = Instant::now();
            daemon.spawn().await;
            samples.push(started.elapsed());
            // Its end takes a core for a while, which the next start is to have.
            daemon.kill().await;
        }
    }
    Figure {
        name: "100 servers that hang: start to ready / without servers",
        value: with.p50() / without.p50(),
        unit: "ratio",
        goal: Goal::AtMost {
            must: 1.03,
            aim: 1.0,
        },
        with: json!({"ms": rounded(with.p50()), "withoutMs": rounded(without.p50())}),
    }
}

async fn idle(program: &Path) -> Figure {
    let mut running: [Vec<DaemonUnderTest>; 2] = Default::default();
    for _ in 0..5 {
        for (installed, daemons) in [Installed::Hanging(SERVERS), Installed::None]
            .into_iter()
            .zip(&mut running)
        {
            let (mut daemon, tables) = installed.daemon(program);
            daemon.configure(&tables);
            daemon.spawn().await;
            daemons.push(daemon);
        }
    }
    sleep(PERIOD_OF_SWEEPS).await;
    let [with, without] = running.map(|daemons| median_kib(&daemons));
    Figure {
        name: "100 servers that hang: memory idle less that without servers",
        value: with - without,
        unit: "KiB",
        goal: Goal::AtMost {
            must: 1024.0,
            aim: 0.0,
        },
        with: json!({"kib": with, "withoutKib": without}),
    }
}

/// The wait of a session's first turn, and of its second, in which the servers are known.
async fn turns(program: &Path) -> Vec<Figure> {
    let mut with = Installed::Hanging(SERVERS).start(program).await;
    let mut without = Installed::None.start(program).await;
    let [first, second] = two_requests(&mut with).await;
    let [plain_first, plain_second] = two_requests(&mut without).await;
    let figure = |name, with: Duration, without: Duration, must, aim| Figure {
        name,
        value: (with.as_secs_f64() - without.as_secs_f64()) * 1e3,
        unit: "ms",
        goal: Goal::AtMost { must, aim },
        with: json!({"withoutMs": rounded(without.as_secs_f64() * 1e3)}),
    };
    vec![
        figure(
            "100 servers that hang: wait of a first turn",
            first,
            plain_first,
            5_100.0,
            0.0,
        ),
        figure(
            "100 servers that hang: wait of the next turn",
            second,
            plain_second,
            50.0,
            0.0,
        ),
    ]
}

/// From the message to the request, in the first two turns of a session.
async fn two_requests(bench: &mut BenchDaemon) -> [Duration; 2] {
    let session = bench.new_session().await;
    let first = to_request(bench, &session).await.0;
    let second = to_request(bench, &session).await.0;
    [first, second]
}
