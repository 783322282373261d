use std::sync::Arc;

use scorel_engine::ThinkingLevel;
use scorel_proto::{Message, ToolResultBlock, ToolResultMessage};
use scorel_provider::Timeouts;
use scorel_testkit::{ModelReply, StrictServer};

use super::API;
use crate::collected::{collect, provider_at, question};
use crate::played;

#[tokio::test]
async fn a_strict_endpoint_accepts_a_turn_with_calls_and_thoughts() {
    let server = StrictServer::start().await.unwrap();
    let called = ModelReply::default().thinking("hm").text("Let me look.");
    let called = called
        .tool_call("a", "Read", "{}")
        .tool_call("b", "Glob", "{}");
    server
        .reply(called)
        .reply(ModelReply::default().text("done"));
    let provider = provider_at(API, &server.server().base_url(), Timeouts::default());
    let mut request = question();
    request.thinking = ThinkingLevel::High;
    let answer = played::answer(Arc::clone(&provider), &request.messages).await;
    request.messages.push(Message::Assistant(answer.unwrap()));
    for (id, name) in [("a", "Read"), ("b", "Glob")] {
        let result = ToolResultBlock::error(id, "no");
        let result = ToolResultMessage::new(name, result, 1);
        request.messages.push(Message::ToolResult(result));
    }
    let got = collect(provider.stream(request)).await;
    assert_eq!(server.rejections(), Vec::<String>::new());
    assert_eq!(got.text, "done");
}
