use std::fs;
use std::path::Path;

use scorel_testkit::DaemonUnderTest;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::sleep;

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::memory::{PERIOD_OF_SWEEPS, median_kib};
use crate::samples::Samples;
use crate::turn_stand::{TurnStand, in_turns};

const TURNS: usize = 2_000;

/// Daemons of each build whose memory is looked at.
const IDLE: usize = 5;

/// A daemon without hooks beside an older build.
pub(super) async fn measure(program: &Path, older: &Path) -> Vec<Figure> {
    let mut before = TurnStand::new(BenchDaemon::new(older).await).await;
    let mut now = TurnStand::new(BenchDaemon::new(program).await).await;
    in_turns(&mut before, &mut now, TURNS).await;
    let figure = |name, before: &Samples, now: &Samples| Figure {
        name,
        value: now.p50() / before.p50(),
        unit: "ratio",
        goal: Goal::AtMost {
            must: 1.03,
            aim: 1.0,
        },
        with: json!({
            "olderMs": rounded(before.p50()),
            "ms": rounded(now.p50()),
            "turns": TURNS,
        }),
    };
    vec![
        figure(
            "no hooks: message to request / that of an older build, p50",
            &before.requests,
            &now.requests,
        ),
        figure(
            "no hooks: tool round trip / that of an older build, p50",
            &before.tools,
            &now.tools,
        ),
        idle(program, older).await,
    ]
}

/// The memory of daemons of empty homes, all at the same time.
///
/// They run from copies. The system maps a file in the pieces that its cache has, and has larger ones of a file that was copied than of
/// one that was linked: that alone is more than a megabyte.
async fn idle(program: &Path, older: &Path) -> Figure {
    let copies = TempDir::new().expect("a directory for programs");
    let copy = |program: &Path, name: &str| {
        let to = copies.path().join(name);
        fs::copy(program, &to).expect("a program can be copied");
        to
    };
    let (program, older) = (copy(program, "now"), copy(older, "older"));
    let (mut before, mut now) = (Vec::new(), Vec::new());
    for _ in 0..IDLE {
        before.push(DaemonUnderTest::start(&older).await);
        now.push(DaemonUnderTest::start(&program).await);
    }
    sleep(PERIOD_OF_SWEEPS).await;
    let (before, now) = (median_kib(&before), median_kib(&now));
    Figure {
        name: "no hooks: memory idle less that of an older build",
        value: now - before,
        unit: "KiB",
        goal: Goal::AtMost {
            must: 1024.0,
            aim: 0.0,
        },
        with: json!({"olderKib": before, "kib": now, "daemons": IDLE}),
    }
}
