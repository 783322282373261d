//! Hooks around calls, in the log and over a crash.

use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{BeforeCall, CallOpinion, HookChain, Hooks, ToolCall};
use scorel_proto::{ClientId, PermissionDecision, PermissionDecisionBody};
use scorel_session::{MutationCommand, PermissionResponse};
use serde_json::{Value, json};

use crate::follower::within;
use crate::permission::{asking, next, question, request};
use crate::rig::Rig;

/// Replaces the path that the tool `write` gets.
#[derive(Debug)]
struct Paths(&'static str, CallOpinion);

impl Hooks for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        let is_write = call.name == "write";
        Box::pin(ready(BeforeCall {
            input: is_write.then(|| json!({ "path": self.0 })),
            opinion: if is_write {
                self.1.clone()
            } else {
                CallOpinion::None
            },
            ends_turn: None,
        }))
    }
}

fn paths(path: &'static str, opinion: CallOpinion) -> HookChain {
    HookChain::new(vec![Arc::new(Paths(path, opinion))])
}

async fn allow(rig: &Rig, id: scorel_proto::SessionId) {
    let decision = PermissionDecisionBody {
        request_id: request(rig, id).await.request_id,
        decision: PermissionDecision::Once,
        reason: None,
        by: None,
    };
    let command = MutationCommand::new(ClientId::Daemon, None, "respondPermission", &());
    let lane = rig.lane(id).await;
    within(lane.mutate(PermissionResponse { command, decision }))
        .await
        .expect("taken");
}

/// The hooks of the next daemon would make another call of it. So would a daemon that took the call from
/// the model's message.
#[tokio::test(start_paused = true)]
async fn a_call_that_was_asked_about_runs_after_a_crash_with_the_input_of_the_question() {
    for (gate_asks, opinion) in [
        (true, CallOpinion::None),
        (false, CallOpinion::Ask("it is odd".to_owned())),
    ] {
        let rig = Rig::new();
        rig.plan(|plan| {
            plan.hooks = paths("asked", opinion.clone());
            plan.question = gate_asks.then(question);
        });
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "go").await;
        rig.model()
            .await
            .tools(&[("c1", "look"), ("c2", "write"), ("c3", "write")])
            .await;
        rig.tool().await.end("seen");
        follower.until("permission_request").await;
        let asked = request(&rig, id).await;
        assert_eq!(asked.input, json!({"path": "asked"}));
        assert_eq!(asked.changed_by, ["paths"]);
        let again = rig.crashed();
        again.plan(|plan| {
            plan.hooks = paths("other", CallOpinion::None);
            plan.question = gate_asks.then(question);
        });
        let mut follower = again.follow(id).await;
        assert_eq!(request(&again, id).await, asked, "the question is the same");
        allow(&again, id).await;
        let ran = again.tool().await;
        assert_eq!(
            (ran.call.id.as_str(), &ran.call.input),
            ("c2", &asked.input)
        );
        ran.end("written");
        // The call behind it was not asked about: it is new to the hooks.
        if gate_asks {
            follower.until("permission_request").await;
            allow(&again, id).await;
        }
        let ran = again.tool().await;
        assert_eq!(
            (ran.call.id.as_str(), &ran.call.input["path"]),
            ("c3", &Value::from("other"))
        );
        ran.end("written");
        again.model().await.answer("done").await;
        assert_eq!(follower.outcome().await, "completed");
        let log = again.check(id).await;
        let started = log.all("tool_started");
        assert_eq!(started[0].get("input"), None, "no hook has changed it");
        assert_eq!(started[1]["input"], asked.input);
        assert_eq!(started[1]["changedBy"], json!(["paths"]));
    }
}

/// A log of versions before hooks: nothing says what hooks did.
#[tokio::test(start_paused = true)]
async fn a_question_of_an_older_version_opens_with_its_input() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let crashed = rig.crashed();
    let log = std::fs::read_to_string(crashed.dir(id).join("events.jsonl")).expect("a log");
    assert!(!log.contains("changedBy") && !log.contains("hookReason"));
    let again = next(&crashed);
    again.plan(|plan| plan.hooks = paths("other", CallOpinion::None));
    let mut follower = again.follow(id).await;
    allow(&again, id).await;
    let ran = again.tool().await;
    assert_eq!(ran.call.input, asked.input);
    ran.end("written");
    again.tool().await.end("seen");
    again.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
}
