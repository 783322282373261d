//! Parts go back to their model unchanged and in order.

use std::sync::Arc;

use scorel_proto::{AssistantMessage, Block, Message, Meta, StopReason};
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret};
use scorel_testkit::{ModelReply, StrictServer};
use serde_json::json;

use crate::collected::{KEY, question};
use crate::gemini_turn::{API, events, normal, results, sent_back, stream};
use crate::played;

#[tokio::test]
async fn signed_parts_of_any_kind_keep_their_places() {
    let parts = [
        json!({"text": "hm", "thought": true}),
        json!({"text": "Let me "}),
        json!({"text": "look"}),
        json!({"text": " there.", "thoughtSignature": "s1"}),
        json!({"text": " Now:"}),
        json!({"executableCode": {"code": "1", "language": "PYTHON"}, "thoughtSignature": "s2"}),
        json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}),
        json!({"functionCall": {"id": "x", "name": "Read", "args": {"b": 1, "a": 2}}, "thoughtSignature": "s3"}),
        json!({"functionCall": {"name": "Read", "args": {}}}),
        json!({"text": "", "thoughtSignature": "s4"}),
        json!({"text": ""}),
    ];
    let back = sent_back(stream(&events(&parts, "STOP"))).await;
    assert_eq!(back, json!(normal(&parts)));
    assert_eq!(back.as_array().unwrap().len(), 8);
}

#[tokio::test]
async fn a_conversation_of_another_model_goes_on_at_an_endpoint_that_checks_it() {
    let strict = StrictServer::start().await.unwrap();
    strict.reply(
        ModelReply::default()
            .thinking("hm")
            .tool_call("x", "Read", "{\"path\":\"a\"}"),
    );
    strict.reply(ModelReply::default().text("done"));
    let config = ModelConfig::custom("test", API, strict.server().base_url(), "gemini-3-pro");
    let provider = Connector::default()
        .connect(&config, Some(Secret::new(KEY)), Arc::new(NoBlobs))
        .unwrap();
    let mut messages = question().messages;
    let foreign = AssistantMessage {
        content: vec![call("call_1"), call("call_2")],
        model: "other".to_owned(),
        stop_reason: StopReason::ToolUse,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    };
    let foreign_results = results(&foreign);
    messages.push(Message::Assistant(foreign));
    messages.extend(foreign_results.into_iter().rev());
    let answer = played::answer(Arc::clone(&provider), &messages)
        .await
        .unwrap();
    let own_results = results(&answer);
    assert_eq!(own_results.len(), 1);
    messages.push(Message::Assistant(answer));
    messages.extend(own_results);
    messages.push(Message::user("and now?"));
    let answer = played::answer(provider, &messages).await.unwrap();
    assert_eq!(answer.content, [Block::text("done")]);
    assert_eq!(strict.rejections(), Vec::<String>::new());
}

fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.to_owned(),
        name: "Read".to_owned(),
        input: json!({"path": id}),
        invalid_input: None,
        provider: None,
    }
}
