//! Daemons that are killed at random times while tasks run, and while the next one picks them up.
//!
//! `SCOREL_AGENT_KILLS` says how many runs there are, each with two kills; `SCOREL_SEED` repeats them.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use scorel_client::Connection;
use scorel_proto::{
    AgentTaskStatus, ClientId, GetGraph, GetGraphParams, Hello, HelloParams, PermissionDecision,
    ProtocolRange, QueueEdit, RespondPermission, RespondPermissionParams, ResultDelivery,
    RewriteQueue, RewriteQueueParams, SpawnRuntime, SpawnRuntimeParams,
};
use scorel_testkit::{CheckedLog, SeededDice, runs};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::scene::{AGENTS, AgentScene, task};
use crate::under_test::{PATIENCE, connect, has_sandbox, session};

/// About how long a run takes that is not killed.
const RUN: Duration = Duration::from_millis(150);

/// Nothing takes so long here. Below the limit of [`Watch`](crate::under_test::Watch), which tells nothing of
/// what is stuck.
const STUCK: Duration = PATIENCE.saturating_sub(Duration::from_secs(10));

/// How many runs go on at once.
const AT_ONCE: usize = 2;

/// One plain task, one whose agent asks, and one that its agent gives on.
const TASKS: [(&str, &str); 3] = [
    ("reviewer", "plain"),
    ("reviewer", "asks"),
    ("lead", "gives"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_at_any_time_loses_no_task_and_gives_none_twice() {
    if !has_sandbox() {
        return;
    }
    let mut dice = SeededDice::for_test("agents::kills");
    let count = runs("SCOREL_AGENT_KILLS", 8);
    let all = (0..count).map(|_| tokio::spawn(KilledRun::play(dice.fork())));
    let mut all = stream::iter(all).buffer_unordered(AT_ONCE);
    let mut last_records: BTreeMap<String, u32> = BTreeMap::new();
    while let Some(run) = all.next().await {
        for kind in run.expect("a run that is as it should be") {
            *last_records.entry(kind).or_default() += 1;
        }
    }
    println!("killed after: {last_records:?}");
}

/// A run with two kills.
struct KilledRun {
    scene: AgentScene,
    dice: SeededDice,
    me: ClientId,
}

impl KilledRun {
    /// Returns the types of the last records before the kills.
    async fn play(dice: SeededDice) -> Vec<String> {
        let config = format!(
            "{AGENTS}\n[agents.lead]\ndisplayName = \"Lead\"\ntools = \"orchestrator\"\n\
             [permissions]\nmode = \"ask\"\n"
        );
        let scene = AgentScene::with(&config).await;
        let mut run = Self {
            scene,
            dice,
            me: ClientId::generate(),
        };
        let lived = timeout(5 * PATIENCE, run.live()).await;
        lived.expect("a run ends in time")
    }

    async fn live(&mut self) -> Vec<String> {
        let parts = self.scene.parts.clone();
        parts.call("asks", "Bash", &json!({"command": "touch asked.txt"}));
        let below = json!({"agentType": "developer", "prompt": "[below] Do it.", "title": "below"});
        parts.call("gives", "AgentSpawn", &below);
        parts.call("gives", "AgentStatus", &json!({"waitSeconds": 60}));
        let mut killed_after = Vec::new();
        for _ in 0..2 {
            let dies_in = self.dice.time_up_to(RUN);
            let work = self.work();
            let _interrupted = timeout(dies_in, work).await;
            self.scene.daemon.kill().await;
            let last = self
                .scene
                .log()
                .last()
                .map(|record| record["type"].to_string());
            killed_after.extend(last);
            self.scene.daemon.spawn().await;
            self.scene.client = connect(&self.scene.daemon.socket()).await;
        }
        self.work().await;
        self.check().await;
        killed_after
    }

    /// Spawns the tasks that are not spawned yet, and answers questions until all have ended.
    async fn work(&self) {
        let client = connect(&self.scene.daemon.socket()).await;
        let hello = HelloParams {
            client_id: Some(self.me),
            name: None,
            protocol: ProtocolRange::SUPPORTED,
        };
        client.call::<Hello>(&hello).await.unwrap();
        for (agent, name) in TASKS {
            let params = SpawnRuntimeParams {
                deliver: Some(ResultDelivery::Turn),
                command_id: Some(name.parse().unwrap()),
                ..task(self.scene.lead, agent, name)
            };
            client.call::<SpawnRuntime>(&params).await.unwrap();
        }
        let mut watch = crate::under_test::Watch::from_start(&client, self.scene.lead).await;
        loop {
            let described = session(&client, self.scene.lead).await;
            for question in described.child_questions {
                answer(&client, question.session_id, question.request_id).await;
            }
            // A turn that the kill has interrupted leaves the results behind it to a person.
            if described.queue_paused {
                resume(&client, self.scene.lead, described.queue_version).await;
            }
            let counts = described.runtimes.unwrap();
            if counts.open == 0 && described.turn_id.is_none() && described.queue.is_empty() {
                return;
            }
            if timeout(STUCK, watch.next()).await.is_err() {
                self.tell_what_is_stuck(&client).await;
            }
        }
    }

    async fn tell_what_is_stuck(&self, client: &Connection) {
        let described = session(client, self.scene.lead).await;
        println!(
            "{:?} {:?} {:?}",
            described.phase, described.runtimes, described.queue
        );
        let log = CheckedLog::read(&self.scene.daemon.log_path(&self.scene.lead.to_string()));
        for (id, runtime) in log.unwrap().view().state.runtimes.unsettled() {
            println!("{id}: {runtime:?}");
            let child = runtime.session_id.unwrap();
            let child = session(client, child).await;
            println!("its session: {child:?}");
        }
        panic!("nothing happens; {}", self.scene.daemon.errors());
    }

    async fn check(&self) {
        let scene = &self.scene;
        let path = scene.daemon.log_path(&scene.lead.to_string());
        let log = CheckedLog::read(&path).unwrap();
        let runtimes = scene.runtimes().await;
        assert_eq!(runtimes.len(), TASKS.len(), "each is spawned once");
        let records = scene.log();
        for runtime in &runtimes {
            assert!(AgentTaskStatus::is_final(runtime.status), "{runtime:?}");
            let id = runtime.runtime_id.to_string();
            let holds = |record: &&Value| record["message"]["meta"]["runtimeId"] == id.as_str();
            assert_eq!(
                records.iter().filter(holds).count(),
                1,
                "{id} is delivered once"
            );
            let ends = records.iter().filter(|record| {
                record["type"] == "runtime_finished" && record["runtimeId"] == id.as_str()
            });
            assert_eq!(ends.count(), 1, "{id} ends once");
            let child = scene.daemon.log(&runtime.session_id.unwrap().to_string());
            let tasks = child.iter().filter(|record| {
                let text = record["message"]["content"][0]["text"].as_str();
                record["message"]["role"] == "user"
                    && text.is_some_and(|text| text.ends_with("] Do it."))
            });
            assert_eq!(tasks.count(), 1, "{id} has its task once");
        }
        for (_, name) in TASKS {
            let most = if name == "gives" { 6 } else { 2 };
            let asked = scene.parts.requests_of(name);
            assert!(asked <= most, "{name} has asked its model {asked} times");
        }
        let params = GetGraphParams {
            session_id: scene.lead,
            ended: None,
        };
        let graph = scene.client.call::<GetGraph>(&params).await.unwrap();
        let folded = &log.view().state.runtimes;
        assert!(folded.are_settled());
        for (id, runtime) in folded.iter() {
            let mut nodes = graph.nodes.iter();
            let node = nodes.find(|node| node.id == id.to_string()).unwrap();
            assert_eq!(node.status, runtime.status);
        }
    }
}

/// The answer may be one to a question that another daemon has seen answered.
async fn answer(
    client: &Connection,
    session_id: scorel_proto::SessionId,
    request_id: scorel_proto::PermissionRequestId,
) {
    let params = RespondPermissionParams {
        session_id,
        request_id,
        decision: PermissionDecision::Once,
        reason: None,
        command_id: None,
    };
    let _late = client.call::<RespondPermission>(&params).await;
}

/// The queue may have changed since it was looked at.
async fn resume(client: &Connection, session_id: scorel_proto::SessionId, version: u64) {
    let params = RewriteQueueParams {
        session_id,
        expected_version: version,
        ops: vec![QueueEdit::Resume {}],
        command_id: None,
    };
    let _late = client.call::<RewriteQueue>(&params).await;
}
