//! What a turn writes and shows.

use scorel_engine::ProviderEvent;
use scorel_proto::{Message, StopReason};
use serde_json::{Value, json};

use crate::log::{name, text};
use crate::rig::Rig;

#[tokio::test(start_paused = true)]
async fn a_turn_without_tools_writes_four_records_and_shows_its_answer_in_between() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "hello").await;
    let call = rig.model().await;
    assert_eq!(call.request.system, "be brief\n\na test");
    assert_eq!(call.request.messages, vec![Message::user("hello")].into());
    call.text("Good ").await;
    call.text("day").await;
    call.done(StopReason::EndTurn).await;
    assert_eq!(follower.outcome().await, "completed");

    let shown = follower.names();
    assert_eq!(
        shown,
        [
            "sync_start",
            "in_flight",
            "sync_end",
            "user",
            "runtime_start",
            "instruction_snapshot",
            "turn_start",
            "message_start",
            "text_delta",
            "text_delta",
            "assistant",
            "turn_end",
            "runtime_end",
            "turn_outcome",
        ]
    );
    let log = rig.check(id).await;
    assert_eq!(
        log.outline(),
        ["user", "instruction_snapshot", "assistant", "turn_outcome"]
    );
    let outcome = log.only("turn_outcome");
    assert_eq!(outcome["usage"]["inputTokens"], 10);
    assert_eq!(outcome["steps"], 1);
    for event in follower.events().iter().skip(3) {
        assert_eq!(text(event, "turnId"), turn.to_string(), "{event}");
        assert_eq!(text(event, "clientId"), "daemon");
    }
}

#[tokio::test(start_paused = true)]
async fn the_events_of_a_message_have_the_id_of_its_record() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "hello").await;
    let call = rig.model().await;
    call.thinking("hm").await;
    call.text_in(1, "Yes").await;
    call.tool_begins(2, "c1", "look", "{}").await;
    call.done(StopReason::ToolUse).await;
    rig.tool().await.end("seen");
    rig.model().await.answer("done").await;
    follower.outcome().await;

    let log = rig.check(id).await;
    let message = log.all("assistant")[0];
    let events = follower.events();
    let named = |wanted: &str| -> Vec<&Value> {
        events
            .iter()
            .filter(|event| name(event) == wanted)
            .collect()
    };
    let start = named("message_start")[0];
    assert_eq!(start["eventId"], message["id"]);
    assert_eq!(start["parentId"], message["parentId"]);
    for (index, delta) in ["thinking_delta", "text_delta", "tool_call_delta"]
        .iter()
        .enumerate()
    {
        let delta = named(delta)[0];
        assert_eq!(delta["eventId"], message["id"]);
        assert_eq!(delta["blockIndex"], index);
    }
    let result = log.only("tool_result");
    for step in ["tool_execution_start", "tool_execution_end"] {
        assert_eq!(named(step)[0]["eventId"], result["id"]);
    }
    assert_eq!(named("tool_execution_start")[0]["parentId"], message["id"]);
}

#[tokio::test(start_paused = true)]
async fn numbers_increase_over_everything_that_is_shown() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    for question in ["one", "two"] {
        rig.begin(id, question).await;
        rig.model()
            .await
            .tools(&[("c1", "look"), ("c2", "write")])
            .await;
        rig.tool().await.end("first");
        rig.tool().await.end("second");
        rig.model().await.answer("done").await;
        follower.outcome().await;
    }
    let events = follower.events();
    let numbers: Vec<u64> = events
        .iter()
        .filter_map(|event| event["seq"].as_u64())
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    let log = rig.check(id).await;
    let recorded: Vec<_> = log.lines.iter().map(String::as_bytes).collect();
    let is_record = |line: &&bytes::Bytes| recorded.contains(&line.as_ref());
    let shown = follower.taken.iter().filter(is_record).count();
    assert_eq!(
        shown,
        recorded.len(),
        "records are shown as they stand in the log"
    );
}

#[tokio::test(start_paused = true)]
async fn the_start_of_a_tool_is_durable_before_it_starts() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "look").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    let log = rig.log(id);
    assert_eq!(log.only("tool_started")["toolCallId"], "c1");
    assert_eq!(run.call.input, json!({"a": 1}));
    run.end("written");
    rig.model().await.answer("done").await;
    follower.outcome().await;
    let shown = follower.names();
    let place = |wanted: &str| shown.iter().position(|name| name == wanted);
    assert!(place("tool_started") < place("tool_execution_start"));
}

#[tokio::test(start_paused = true)]
async fn read_only_tools_run_side_by_side_and_their_results_come_in_call_order() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "look").await;
    let calls = [
        ("c1", "look"),
        ("c2", "peek"),
        ("c3", "write"),
        ("c4", "look"),
    ];
    rig.model().await.tools(&calls).await;
    let (first, second) = (rig.tool().await, rig.tool().await);
    assert_eq!(
        (first.call.id.as_str(), second.call.id.as_str()),
        ("c1", "c2")
    );
    second.end("the second is done first");
    follower.until("tool_execution_end").await;
    assert_eq!(
        rig.log(id).all("tool_result").len(),
        0,
        "the first result is due"
    );
    first.end("the first");
    let third = rig.tool().await;
    assert_eq!(third.call.id, "c3");
    assert_eq!(rig.log(id).all("tool_result").len(), 2);
    third.end("alone");
    rig.tool().await.end("the fourth");
    let call = rig.model().await;
    assert_eq!(call.request.messages.len(), 6);
    call.answer("done").await;
    follower.outcome().await;
    let log = rig.check(id).await;
    assert_eq!(log.all("tool_result").len(), 4);
    assert_eq!(
        log.outline()[3..9],
        [
            "tool_started",
            "tool_started",
            "tool_result",
            "tool_result",
            "tool_started",
            "tool_result"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn new_output_of_a_running_tool_replaces_the_previous_output() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "look").await;
    rig.model().await.tools(&[("c1", "write")]).await;
    let run = rig.tool().await;
    run.show(json!("10 %"));
    follower.until("tool_execution_update").await;
    run.show(json!("90 %"));
    follower.until("tool_execution_update").await;
    assert_eq!(follower.view.open.tools[0].partial, Some(json!("90 %")));
    let late = rig.follow(id).await;
    assert_eq!(
        late.view.open, follower.view.open,
        "a late client sees the running tool"
    );
    run.end("done");
    follower.until("tool_result").await;
    assert!(follower.view.open.is_empty());
    rig.model().await.answer("done").await;
    follower.outcome().await;
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn instructions_are_frozen_by_the_first_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    rig.exchange(id, "two").await;
    let again = rig.restarted();
    again.exchange(id, "three").await;
    again.check(id).await.only("instruction_snapshot");
}

#[tokio::test(start_paused = true)]
async fn the_model_reads_the_whole_conversation_also_after_a_restart() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    drop(rig.sessions.clone());
    let again = rig.restarted();
    again.begin(id, "two").await;
    let call = again.model().await;
    let roles: Vec<_> = call.request.messages.iter().map(Message::role).collect();
    assert_eq!(json!(roles), json!(["user", "assistant", "user"]));
    call.answer("done").await;
}

#[tokio::test(start_paused = true)]
async fn what_a_provider_needs_back_survives_the_log() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "think").await;
    let call = rig.model().await;
    call.thinking("deep").await;
    let meta = ProviderEvent::ThinkingMeta {
        block: 0,
        signature: Some("sig".to_owned()),
        redacted: false,
        provider: Some(json!({"x": 1})),
    };
    call.event(meta).await;
    call.text_in(1, "thought").await;
    call.done(StopReason::EndTurn).await;
    follower.outcome().await;
    let written = rig.check(id).await.only("assistant")["message"].clone();
    let again = rig.restarted();
    again.begin(id, "and?").await;
    let call = again.model().await;
    assert_eq!(json!(call.request.messages[1]), written);
    assert_eq!(written["content"][0]["signature"], "sig");
    call.answer("done").await;
}
