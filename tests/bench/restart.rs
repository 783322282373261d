use std::path::Path;
use std::time::Instant;

use scorel_testkit::{ResponseGate, ScriptedChat};
use serde_json::json;

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const RESTARTS: usize = 20;

/// The time from SIGTERM to the request of the parked turn's next model call, by the next daemon.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let mut bench = BenchDaemon::new(program).await;
    let mut samples = Samples::default();
    for _ in 0..RESTARTS {
        let session = bench.new_session().await;
        let never = ResponseGate::new();
        let silent = ScriptedChat::default().wait(&never).finish("stop");
        bench.begin_turn(&session, silent.into(), &never).await;
        bench
            .model
            .answer(ScriptedChat::default().text("on").finish("stop"));
        let asked = bench.model.requests().len();
        let started = Instant::now();
        assert!(bench.daemon.park().await.success());
        bench.restart().await;
        bench.model.wait_for_requests(asked + 1).await;
        samples.push(started.elapsed());
    }
    vec![Figure {
        name: "restart to parked turn goes on",
        value: samples.max(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 2000.0,
            aim: 500.0,
        },
        with: json!({"p50Ms": rounded(samples.p50()), "restarts": RESTARTS}),
    }]
}
