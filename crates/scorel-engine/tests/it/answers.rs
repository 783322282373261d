//! Answers of the model, good and bad.

use scorel_engine::{EngineEvent, ErrorCategory, ProviderEvent};
use scorel_proto::{
    AssistantMessage, Block, Context, MessageCancelReason, OutcomeReason, StopReason,
};
use serde_json::json;

use crate::model::Script;
use crate::play::{Scene, text};
use crate::toolbox::{ScriptedTools, Tool};

#[tokio::test(start_paused = true)]
async fn the_events_of_a_turn_with_a_tool_are_in_order() {
    let asks = Script::default()
        .start("scripted-1-mini")
        .thinking("hm")
        .text(&["let me ", "look"])
        .call("c1", "Read", r#"{"path":"a"}"#)
        .done(StopReason::ToolUse);
    let scene = Scene::new([asks, Script::says("found it")], [Tool::reads("Read")]);
    let played = scene.play().await;
    let story = [
        "turn 0",
        "message",
        "thinking 0 hm",
        "text 1 let me ",
        "text 1 look",
        "call 2 c1 Read",
        r#"arguments 2 {"path":"a"}"#,
        "message end ToolUse",
        "tool c1",
        "tool end c1",
        "result c1",
        "turn end 0",
        "turn 1",
        "message",
        "text 0 found it",
        "message end EndTurn",
        "turn end 1",
    ];
    assert_eq!(played.story(), story);
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    assert_eq!(played.end.usage.input_tokens, 20);
    assert_eq!(played.messages()[0].model, "scripted:scripted-1");
    assert_eq!(played.messages()[1].model, "scripted:scripted-1");
    let calls = scene.tools.calls();
    assert_eq!(calls[0].input, json!({"path": "a"}));
}

#[tokio::test(start_paused = true)]
async fn repeated_empty_and_long_call_ids_become_distinct() {
    let calls = [
        ("x", "Read"),
        ("", "Read"),
        ("x", "Read"),
        ("", "Read"),
        ("x-2", "Read"),
        (&*"y".repeat(20_000), "Read"),
    ];
    let scene = Scene::new(
        [Script::asks(&calls), Script::says("so")],
        [Tool::reads("Read")],
    );
    let played = scene.play().await;
    let ids: Vec<&str> = played.answers().iter().map(|answer| answer.0).collect();
    assert_eq!(ids, ["x", "call", "x-2", "call-2", "x-2-2", "call-3"]);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_are_no_object_are_answered_with_what_was_written() {
    let script = Script::default()
        .call("c1", "Read", r#"{"path": "a"#)
        .call("c2", "Read", "[1]")
        .call("c3", "Read", "  ")
        .done(StopReason::ToolUse);
    let scene = Scene::new([script, Script::says("oh")], [Tool::reads("Read")]);
    let played = scene.play().await;
    let refused =
        |text: &str| format!("E_INVALID_ARGUMENTS: the arguments are not a JSON object: {text}");
    let answers = [
        ("c1", refused(r#"{"path": "a"#)),
        ("c2", refused("[1]")),
        ("c3", "c3 is done".to_owned()),
    ];
    assert!(
        played
            .answers()
            .into_iter()
            .eq(answers.each_ref().map(|(id, text)| (*id, text.as_str())))
    );
    let calls = scene.tools.calls();
    assert!(
        calls
            .iter()
            .all(|call| call.id == "c3" && call.input == json!({}))
    );
    let kept = &played.messages()[0].content[1];
    assert!(matches!(kept, Block::ToolUse { invalid_input: Some(text), .. } if text == "[1]"));
}

#[tokio::test(start_paused = true)]
async fn a_call_is_recorded_so_that_it_can_be_read() {
    let nested = |depth| format!("{{\"path\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let script = Script::default()
        .call("c1", "Read", &nested(63))
        .call("c2", "Read", &nested(64))
        .call("c3", "Read", &nested(125))
        .done(StopReason::ToolUse);
    let scene = Scene::new([script, Script::says("oh")], [Tool::reads("Read")]);
    let played = scene.play().await;
    let ran: Vec<String> = scene.tools.calls().into_iter().map(|it| it.id).collect();
    assert_eq!(ran, ["c1"], "the others are refused");
    let line = serde_json::to_string(played.messages()[0]).unwrap();
    let read: AssistantMessage = serde_json::from_str(&line).unwrap();
    assert_eq!(&read, played.messages()[0]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_ran_out_of_room_loses_its_calls() {
    let script = Script::default()
        .text(&["I shall read"])
        .call("c1", "Read", "{}")
        .call("c2", "Read", r#"{"pa"#)
        .done(StopReason::MaxTokens);
    let scene = Scene::new([script], [Tool::reads("Read")]);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("max_tokens")));
    let [message] = played.messages()[..] else {
        panic!("one message");
    };
    assert!(message.partial);
    assert_eq!(message.content, [Block::text("I shall read")]);
    assert!(scene.tools.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_room_for_text_is_taken_back() {
    let reason = MessageCancelReason::MaxTokens;
    for script in [
        Script::default().thinking("hm"),
        Script::default().call("c1", "Read", "{"),
    ] {
        let scene = Scene::new([script.done(StopReason::MaxTokens)], []);
        let played = scene.play().await;
        assert!(played.has(|event| *event == EngineEvent::MessageCancelled { reason }));
        assert_eq!(played.outcome(), (OutcomeReason::Limit, Some("max_tokens")));
        assert_eq!(played.end.usage.input_tokens, 10);
    }
    let scene = Scene::new([Script::default().done(StopReason::MaxTokens)], []);
    let story = ["turn 0", "charged 10", "turn end 0"];
    assert_eq!(scene.play().await.story(), story);
}

#[tokio::test(start_paused = true)]
async fn a_pause_goes_on_with_the_next_call() {
    let pause = Script::default().text(&["one"]).done(StopReason::Pause);
    let scene = Scene::new([pause.clone(), pause, Script::says("two")], []);
    let played = scene.play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    assert_eq!(scene.model.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_an_error_and_its_text_is_kept() {
    for (stop, code) in [
        (StopReason::Refusal, "refusal"),
        (StopReason::ContentFilter, "content_filter"),
    ] {
        let scene = Scene::new([Script::default().text(&["no"]).done(stop)], []);
        let played = scene.play().await;
        assert_eq!(played.outcome(), (OutcomeReason::Error, Some(code)));
        assert_eq!(text(&played.messages()[0].content), "no");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_refused_or_filtered_answer_asked_for_is_not_run() {
    for stop in [StopReason::Refusal, StopReason::ContentFilter] {
        let script = Script::default()
            .text(&["first"])
            .call("c1", "Write", "{}")
            .done(stop);
        let scene = Scene::new([script], [Tool::writes("Write")]);
        let played = scene.play().await;
        assert!(scene.tools.calls().is_empty());
        assert!(played.messages()[0].partial);
        assert_eq!(played.end.reason, OutcomeReason::Error);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_content_completes_the_turn() {
    let scene = Scene::new([Script::default().done(StopReason::EndTurn)], []);
    let played = scene.play().await;
    let story = ["turn 0", "message", "message end EndTurn", "turn end 0"];
    assert_eq!(played.story(), story);
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn a_stop_for_tools_without_calls_completes_the_turn() {
    let script = Script::default().text(&["done"]).done(StopReason::ToolUse);
    let played = Scene::new([script], []).play().await;
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
}

#[tokio::test(start_paused = true)]
async fn calls_run_whatever_reason_to_stop_the_model_names() {
    let script = Script::default()
        .call("c1", "Read", "{}")
        .done(StopReason::EndTurn);
    let scene = Scene::new([script, Script::says("so")], [Tool::reads("Read")]);
    assert_eq!(scene.play().await.answers(), [("c1", "c1 is done")]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_without_an_end_is_a_failure() {
    let scene = Scene::new([Script::default().text(&["half an ans"])], []);
    let played = scene.play().await;
    let [message] = played.messages()[..] else {
        panic!("one message");
    };
    assert!(message.partial);
    assert_eq!(message.stop_reason, StopReason::Error);
    let category = serde_json::to_value(ErrorCategory::StreamTruncated).unwrap();
    assert_eq!(played.outcome(), (OutcomeReason::Error, category.as_str()));
}

#[tokio::test(start_paused = true)]
async fn hidden_reasoning_is_announced_and_survives() {
    let meta = ProviderEvent::ThinkingMeta {
        block: 0,
        signature: Some("opaque".to_owned()),
        redacted: true,
        provider: Some(json!({"id": "r1"})),
    };
    let script = Script::default()
        .event(meta)
        .event(ProviderEvent::Text {
            block: 1,
            delta: "so".to_owned(),
        })
        .done(StopReason::EndTurn);
    let played = Scene::new([script], []).play().await;
    assert_eq!(played.story()[2..4], ["thinking 0 ", "text 1 so"]);
    let thinking = Block::Thinking {
        text: String::new(),
        signature: Some("opaque".to_owned()),
        redacted: true,
        provider: Some(json!({"id": "r1"})),
    };
    assert_eq!(played.messages()[0].content[0], thinking);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_completed_can_go_on() {
    let scene = Scene::new([Script::says("one"), Script::says("two")], []);
    let mut driver = scene.driver();
    let mut ends = Vec::new();
    let mut asked = 0;
    while ends.len() < 2 {
        match driver.next().await {
            scorel_engine::TurnStep::NeedContext { .. } => {
                asked += 1;
                driver.provide_context(Context::default());
            }
            scorel_engine::TurnStep::NeedRoom(error)
            | scorel_engine::TurnStep::NeedTools { error, .. } => panic!("{error:?}"),
            scorel_engine::TurnStep::Event(_) => {}
            scorel_engine::TurnStep::NeedPermission { .. }
            | scorel_engine::TurnStep::NotReady(_)
            | scorel_engine::TurnStep::NeedSpending { .. }
            | scorel_engine::TurnStep::Suspended
            | scorel_engine::TurnStep::Parked => panic!("nothing is asked or stopped here"),
            scorel_engine::TurnStep::Finished(end) => {
                ends.push(end);
                driver.go_on();
            }
        }
    }
    assert_eq!(asked, 2);
    assert_eq!((ends[0].steps, ends[1].steps), (1, 2));
    assert_eq!(ends[1].usage.input_tokens, 20);
}

#[tokio::test(start_paused = true)]
async fn the_request_holds_the_context_the_tools_and_the_prompt() {
    let scene = Scene::new([Script::says("hi")], [Tool::reads("Read")]);
    scene.play().await;
    let requests = scene.model.requests.lock().unwrap();
    let request = &requests[0].1;
    assert_eq!(request.system, "be brief");
    assert_eq!(request.messages.len(), 1);
    let tools: &ScriptedTools = &scene.tools;
    assert_eq!(
        request.tools,
        tools.list.specs().cloned().collect::<Vec<_>>()
    );
}
