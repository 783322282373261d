use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::installed::Installed;
use super::to_request::to_request;
use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

/// Restarts of each daemon.
const RESTARTS: usize = 15;

/// 500 tools of 2 KB.
const MANY: Installed = Installed::Prompt {
    servers: 1,
    tools: 500,
    description: 2_000,
};

/// A session that has many tools, whose daemon is started anew: reading the set, and what a request is longer.
pub(super) async fn measure(program: &Path) -> Vec<Figure> {
    let mut many = Known::new(MANY.start(program).await).await;
    let mut none = Known::new(Installed::None.start(program).await).await;
    let (mut with, mut without) = (Samples::default(), Samples::default());
    let (mut longer, mut plain) = (0, 0);
    for _ in 0..RESTARTS {
        let (wait, length) = many.restarted().await;
        with.push(wait);
        longer = length;
        let (wait, length) = none.restarted().await;
        without.push(wait);
        plain = length;
    }
    vec![
        Figure {
            name: "500 tools of 2 KB: message to request less that without, a set to read, p50",
            value: with.p50() - without.p50(),
            unit: "ms",
            goal: Goal::AtMost {
                must: 20.0,
                aim: 8.0,
            },
            with: json!({"ms": rounded(with.p50()), "withoutMs": rounded(without.p50())}),
        },
        Figure {
            name: "500 tools of 2 KB: the request less that without",
            value: longer as f64 - plain as f64,
            unit: "bytes",
            goal: Goal::AtMost {
                must: 4096.0,
                aim: 4096.0,
            },
            with: json!({"bytes": longer, "withoutBytes": plain}),
        },
    ]
}

/// A session whose tools are known.
struct Known {
    bench: BenchDaemon,
    session: String,
}

impl Known {
    async fn new(mut bench: BenchDaemon) -> Self {
        let session = bench.new_session().await;
        to_request(&mut bench, &session).await;
        Self { bench, session }
    }

    /// A turn right after a start: from the message to the request, and its length in bytes.
    async fn restarted(&mut self) -> (Duration, usize) {
        self.bench.daemon.stop().await;
        self.bench.restart().await;
        // The cost of any first turn of a daemon is not that of the set.
        let other = self.bench.new_session().await;
        to_request(&mut self.bench, &other).await;
        to_request(&mut self.bench, &self.session).await
    }
}
