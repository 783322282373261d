use std::path::{Path, PathBuf};
use std::time::Duration;

use scorel_testkit::{DaemonUnderTest, ResponseGate, ScriptedResponse};
use serde_json::{Value, json};

use super::package::write_package;
use crate::bench_client::BenchClient;
use crate::bench_daemon::BenchDaemon;
use crate::turn_stand::timed_turn;

/// The name of the package in the daemon's home.
const PACKAGE: &str = "bench";

/// A daemon with a run, whose session is followed.
pub(super) struct RunStand {
    pub(super) bench: BenchDaemon,
    /// The digest of the plan that runs are started with.
    plan: Value,
    pub(super) run: Value,
    session: String,
    watch: BenchClient,
}

impl RunStand {
    /// With a run of a workflow of so many nodes.
    pub(super) async fn new(program: &Path, nodes: usize) -> Self {
        let daemon = DaemonUnderTest::new(program);
        write_package(&daemon.home().join("workflows").join(PACKAGE), nodes);
        let mut bench = BenchDaemon::start(daemon, "").await;
        let checked = json!({"workflow": PACKAGE, "projectId": bench.project_id});
        let checked = bench.client.call("checkWorkflow", &checked).await;
        let plan = checked["digest"].clone();
        let (run, session, watch) = started(&mut bench, &plan).await;
        Self {
            bench,
            plan,
            run,
            session,
            watch,
        }
    }

    /// Goes on with another run, whose history is short.
    pub(super) async fn begin_run(&mut self) {
        let begun = started(&mut self.bench, &self.plan).await;
        (self.run, self.session, self.watch) = begun;
        self.bench.model.take_requests();
    }

    /// A turn that calls a tool: from the message to the request, and from the answer with the call to the next
    /// request.
    pub(super) async fn turn(&mut self, call: &[u8]) -> (Duration, Duration) {
        timed_turn(&mut self.bench, &mut self.watch, &self.session, call).await
    }

    /// The run's document.
    pub(super) fn document(&self) -> PathBuf {
        let runs = self.bench.daemon.home().join("runs");
        runs.join(self.run.as_str().unwrap())
            .join("state/workflow.md")
    }
}

/// Starts a run, whose first turn calls no tool.
async fn started(bench: &mut BenchDaemon, plan: &Value) -> (Value, String, BenchClient) {
    let followed = ResponseGate::new();
    let answer = ScriptedResponse::chat().text("What next?").finish("stop");
    bench
        .model
        .answer(ScriptedResponse::from(answer).hold(&followed));
    let params = json!({"projectId": bench.project_id, "workflow": PACKAGE, "confirm": plan});
    let started = bench.client.call("startRun", &params).await;
    let session = started["sessionId"].as_str().unwrap().to_owned();
    let mut watch = bench.watch(&session).await;
    followed.open();
    watch.until("\"turn_outcome\"").await;
    (started["runId"].clone(), session, watch)
}
