//! Cancelling, in every phase.

mod every_point;

use std::time::Duration;

use scorel_engine::ProviderError;
use scorel_proto::{Phase, SessionId, StopReason, TurnId};

use crate::follower::Follower;
use crate::log::{Log, text};
use crate::rig::Rig;
use crate::stage::provider_error;

/// A session with a client and an open turn.
struct Scene {
    rig: Rig,
    id: SessionId,
    follower: Follower,
    turn: TurnId,
}

impl Scene {
    async fn new() -> Self {
        Self::of(Rig::new()).await
    }

    async fn of(rig: Rig) -> Self {
        let id = rig.session().await;
        let follower = rig.follow(id).await;
        let turn = rig.begin(id, "go").await;
        Self {
            rig,
            id,
            follower,
            turn,
        }
    }

    async fn cancel(&self) {
        let lane = self.rig.lane(self.id).await;
        assert!(lane.cancel(Some(self.turn)));
    }

    /// The turn ends as cancelled, and the session can be used.
    async fn ends(mut self) -> Log {
        assert_eq!(self.follower.outcome().await, "cancelled");
        assert!(self.follower.view.open.is_empty());
        let shown = self.follower.names();
        let count = |wanted: &str| shown.iter().filter(|name| *name == wanted).count();
        assert_eq!(count("runtime_start"), 1, "{shown:?}");
        assert_eq!(count("runtime_end"), 1, "{shown:?}");
        assert_eq!(
            count("message_start"),
            count("assistant") + count("message_cancelled"),
            "{shown:?}"
        );
        let log = self.rig.check(self.id).await;
        assert!(!self.rig.lane(self.id).await.cancel(None));
        self.rig.exchange(self.id, "and now?").await;
        log
    }
}

fn partial_text(log: &Log) -> &str {
    let message = &log.only("assistant")["message"];
    assert_eq!(message["partial"], true);
    assert_eq!(message["stopReason"], "cancelled");
    text(&message["content"][0], "text")
}

#[tokio::test(start_paused = true)]
async fn cancelling_does_not_wait_for_the_preparation() {
    let rig = Rig::new();
    let (open, gate) = std::sync::mpsc::channel();
    rig.plan(|plan| plan.gate = Some(gate));
    let scene = Scene::of(rig).await;
    let lane = scene.rig.lane(scene.id).await;
    assert_eq!(lane.phase().0, Phase::Preparing);
    scene.cancel().await;
    let log = scene.ends_before(open).await;
    assert_eq!(log.outline(), ["user", "turn_outcome"]);
}

impl Scene {
    /// The turn ends although its preparation has not.
    async fn ends_before(mut self, open: std::sync::mpsc::Sender<()>) -> Log {
        assert_eq!(self.follower.outcome().await, "cancelled");
        open.send(()).expect("the preparation still waits");
        self.rig.check(self.id).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_before_the_first_token_leaves_no_message() {
    let scene = Scene::new().await;
    let call = scene.rig.model().await;
    scene.cancel().await;
    call.ended().await;
    let log = scene.ends().await;
    assert_eq!(
        log.outline(),
        ["user", "instruction_snapshot", "turn_outcome"]
    );
}

#[tokio::test(start_paused = true)]
async fn text_before_the_cancel_is_kept() {
    let mut scene = Scene::new().await;
    let call = scene.rig.model().await;
    call.text("half an ").await;
    call.text("answer").await;
    scene.follower.until("text_delta").await;
    scene.follower.until("text_delta").await;
    scene.cancel().await;
    call.ended().await;
    assert_eq!(partial_text(&scene.ends().await), "half an answer");
}

#[tokio::test(start_paused = true)]
async fn thinking_without_text_is_taken_back() {
    let mut scene = Scene::new().await;
    let call = scene.rig.model().await;
    call.thinking("well").await;
    scene.follower.until("thinking_delta").await;
    scene.cancel().await;
    let cancelled = scene.follower.until("message_cancelled").await;
    assert_eq!(cancelled["reason"], "user_cancel");
    let log = scene.ends().await;
    assert_eq!(log.all("assistant").len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_tool_call_is_dropped() {
    let mut scene = Scene::new().await;
    let call = scene.rig.model().await;
    call.text("I will").await;
    call.tool_begins(1, "c1", "write", "{\"pa").await;
    scene.follower.until("tool_call_delta").await;
    scene.follower.until("tool_call_delta").await;
    scene.cancel().await;
    let log = scene.ends().await;
    assert_eq!(partial_text(&log), "I will");
    let content = log.only("assistant")["message"]["content"]
        .as_array()
        .expect("blocks")
        .len();
    assert_eq!(content, 1);
}

#[tokio::test(start_paused = true)]
async fn a_running_tool_finishes_and_later_calls_do_not_start() {
    let scene = Scene::new().await;
    scene
        .rig
        .model()
        .await
        .tools(&[("c1", "write"), ("c2", "write"), ("c3", "look")])
        .await;
    let run = scene.rig.tool().await;
    scene.cancel().await;
    run.interrupted().await;
    run.end("written to the end");
    let log = scene.ends().await;
    let results = log.all("tool_result");
    let contents: Vec<&str> = results
        .iter()
        .map(|result| text(&result["message"]["content"][0]["content"][0], "text"))
        .collect();
    assert_eq!(
        contents,
        [
            "written to the end",
            "Cancelled by user",
            "Cancelled by user"
        ]
    );
    assert_eq!(log.all("tool_started").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn tools_that_run_together_all_have_their_results() {
    let scene = Scene::new().await;
    scene
        .rig
        .model()
        .await
        .tools(&[("c1", "look"), ("c2", "peek")])
        .await;
    let (first, second) = (scene.rig.tool().await, scene.rig.tool().await);
    scene.cancel().await;
    second.interrupted().await;
    second.end("interrupted, with what there was");
    first.end("whole");
    let log = scene.ends().await;
    assert_eq!(log.all("tool_result").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_between_two_model_calls_ends_the_turn() {
    let mut scene = Scene::new().await;
    scene.rig.model().await.tools(&[("c1", "look")]).await;
    let run = scene.rig.tool().await;
    // The cancel comes when the last tool has ended and its result is not written yet.
    run.end("seen");
    scene.cancel().await;
    scene.follower.until("tool_result").await;
    scene.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_wait_for_the_provider() {
    let mut scene = Scene::new().await;
    let error = ProviderError {
        retry_after: Some(Duration::from_secs(3600)),
        ..provider_error(true)
    };
    scene.rig.model().await.fail(error).await;
    scene.follower.until("turn_waiting").await;
    let lane = scene.rig.lane(scene.id).await;
    assert_eq!(lane.phase().0, Phase::Waiting);
    scene.cancel().await;
    let log = scene.ends().await;
    assert_eq!(
        log.outline(),
        [
            "user",
            "instruction_snapshot",
            "turn_waiting",
            "turn_outcome"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn another_turn_than_the_expected_one_goes_on() {
    let scene = Scene::new().await;
    let call = scene.rig.model().await;
    let lane = scene.rig.lane(scene.id).await;
    let other = TurnId::generate();
    assert!(!lane.cancel(Some(other)));
    let mut follower = scene.follower;
    call.text("still ").await;
    call.text_in(0, "here").await;
    call.done(StopReason::EndTurn).await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn cancelling_an_idle_session_changes_nothing() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let before = rig.log(id).lines;
    assert!(!rig.lane(id).await.cancel(None));
    assert_eq!(rig.log(id).lines, before);
}
