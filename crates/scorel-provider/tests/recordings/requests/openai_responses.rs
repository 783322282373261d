use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ThinkingLevel, ToolResultBlock,
    ToolResultMessage,
};
use serde_json::{Value, json};

use super::{kept, with_requests};
use crate::rebuilt::{Rebuilt, sent_like};

const API: &str = "openai-responses";

/// Excluded cases, whose requests use features that the engine does not have, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("cached-tokens", "a tool of the endpoint"),
    (
        "http-400-reasoning-item-without-following",
        "refused for reasoning with its id before a message without one, which is never sent",
    ),
    ("mcp-list-tools", "servers of tools that the endpoint calls"),
    ("refusal", "an answer that follows a schema"),
    ("tool-search", "a tool of the endpoint"),
    ("web-search-cjk", "a tool of the endpoint"),
];

pub(crate) async fn requests_of_openai_responses_are_rendered_as_they_were_recorded() {
    for fixture in with_requests(API, 29, EXCEPTIONS) {
        let recorded = &fixture.sidecar("request")["body"];
        let provider = provider_at(fixture.sidecar("request")["url"].as_str().unwrap());
        let request = sent_like(provider, API, "/v1", rebuilt(recorded)).await;
        assert_eq!(request.path, "/v1/responses");
        let keeps_ids = provider.is_none();
        let mut rendered = normal(request.json(), keeps_ids);
        if recorded["max_output_tokens"].is_null() {
            // The output limit of known models is always sent.
            rendered["max_output_tokens"].take();
        }
        let expected = normal(recorded.clone(), keeps_ids);
        assert_eq!(without_nulls(rendered), expected, "{}", fixture.name);
    }
}

/// The built-in provider with the dialect of a host.
fn provider_at(url: &str) -> Option<&'static str> {
    let hosts = [
        ("api.x.ai", "xai"),
        ("api.deepseek.com", "deepseek"),
        ("bedrock-mantle", ""),
        ("openrouter.ai", ""),
    ];
    let named = hosts.into_iter().find(|(host, _)| url.contains(host));
    // The rest is OpenAI under several URLs.
    let name = named.map_or("openai", |(_, name)| name);
    (!name.is_empty()).then_some(name)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn rebuilt(recorded: &Value) -> Rebuilt {
    let tools = recorded["tools"].as_array().into_iter().flatten();
    let effort = recorded["reasoning"]["effort"].as_str();
    Rebuilt {
        model: text(&recorded["model"]),
        max_output_tokens: recorded["max_output_tokens"].as_u64(),
        stop_sequences: Vec::new(),
        request: ModelRequest {
            system: system(recorded),
            messages: messages(recorded).into(),
            tools: tools.map(tool).collect(),
            thinking: effort.map_or(ThinkingLevel::Default, |effort| {
                serde_json::from_value(json!(effort)).unwrap()
            }),
        },
    }
}

fn system(recorded: &Value) -> String {
    let first = &recorded["input"][0];
    if is_system(first) {
        text(&first["content"])
    } else {
        text(&recorded["instructions"])
    }
}

fn is_system(item: &Value) -> bool {
    item["role"] == "system" || item["role"] == "developer"
}

fn tool(tool: &Value) -> ToolSpec {
    ToolSpec {
        name: text(&tool["name"]),
        description: text(&tool["description"]),
        parameters: tool["parameters"].clone().into(),
        read_only: false,
        class: scorel_engine::ToolClass::Inspect,
    }
}

fn messages(recorded: &Value) -> Vec<Message> {
    let Value::Array(items) = &recorded["input"] else {
        return vec![Message::user(text(&recorded["input"]))];
    };
    let model = text(&recorded["model"]);
    let mut messages = Vec::new();
    for item in items.iter().filter(|item| !is_system(item)) {
        if item["role"] == "user" {
            messages.push(Message::user(said(&item["content"])));
        } else if item["type"] == "function_call_output" {
            messages.push(result(item));
        } else {
            answer(&mut messages, &model).push(block(item, &model));
        }
    }
    messages
}

fn said(content: &Value) -> String {
    content.as_str().map_or_else(
        || content[0]["text"].as_str().unwrap().to_owned(),
        str::to_owned,
    )
}

/// The content of the reply that the last items belong to.
fn answer<'a>(messages: &'a mut Vec<Message>, model: &str) -> &'a mut Vec<Block> {
    if !matches!(messages.last(), Some(Message::Assistant(_))) {
        messages.push(Message::Assistant(AssistantMessage {
            content: Vec::new(),
            model: model.to_owned(),
            stop_reason: StopReason::EndTurn,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta::default(),
        }));
    }
    match messages.last_mut() {
        Some(Message::Assistant(message)) => &mut message.content,
        _ => unreachable!("it was put there"),
    }
}

fn block(item: &Value, model: &str) -> Block {
    let kept = |name: &str, fact: Value| Some(kept(API, model, name, fact));
    match item["type"].as_str().unwrap_or("message") {
        "message" => Block::Text {
            text: said(&item["content"]),
            part: None,
            template_ref: None,
            provider: kept("message", json!({"id": item["id"], "phase": item["phase"]})),
        },
        "reasoning" => Block::Thinking {
            text: String::new(),
            signature: None,
            redacted: false,
            provider: kept("reasoning", item.clone()),
        },
        "function_call" => Block::ToolUse {
            id: text(&item["call_id"]),
            name: text(&item["name"]),
            input: serde_json::from_str(item["arguments"].as_str().unwrap()).unwrap(),
            invalid_input: None,
            provider: kept("call", json!({"id": item["id"]})),
        },
        other => panic!("unknown item {other}"),
    }
}

fn result(item: &Value) -> Message {
    let result = ToolResultBlock {
        tool_use_id: text(&item["call_id"]),
        content: vec![Block::text(text(&item["output"]))],
        is_error: false,
        details: None,
    };
    Message::ToolResult(ToolResultMessage::new("tool", result, 1))
}

/// The request without permitted differences.
fn normal(mut body: Value, keeps_ids: bool) -> Value {
    if is_system(&body["input"][0]) {
        // The system prompt is sent as `instructions`.
        let first = body["input"].as_array_mut().unwrap().remove(0);
        body["instructions"] = first["content"].clone();
    }
    if body["input"].is_string() {
        // A string equals a list with one message.
        body["input"] = json!([{"role": "user", "content": body["input"]}]);
    }
    let fields = body.as_object_mut().unwrap();
    for name in [
        // Scorel always streams; the recorded failures were requested without.
        "stream",
        // The engine does not set these.
        "temperature",
        "tool_choice",
        "service_tier",
        // With `store: false` encrypted reasoning is always requested.
        "store",
        "include",
        // The cache key is our own.
        "prompt_cache_key",
    ] {
        fields.remove(name);
    }
    if fields.get("instructions") == Some(&json!("")) {
        fields.remove("instructions");
    }
    // The verbosity of summaries is our own choice.
    if let Some(Value::Object(reasoning)) = fields.get_mut("reasoning") {
        reasoning.remove("summary");
    }
    for tool in body["tools"].as_array_mut().into_iter().flatten() {
        let tool = tool.as_object_mut().unwrap();
        // The engine's schemas are not strict.
        tool.remove("strict");
        tool.retain(|name, value| name != "description" || *value != "");
    }
    for item in body["input"].as_array_mut().unwrap() {
        normal_item(item, keeps_ids);
    }
    without_nulls(body)
}

fn normal_item(item: &mut Value, keeps_ids: bool) {
    let kind = if item["role"] == "user" {
        "input_text"
    } else {
        "output_text"
    };
    let fields = item.as_object_mut().unwrap();
    // An item without a type but with a role is a message.
    fields.retain(|name, value| name != "type" || value != "message");
    fields.remove("status");
    if !keeps_ids {
        fields.remove("id");
    }
    // A string equals a list with one text.
    if let Some(Value::String(text)) = fields.get("content") {
        let parts = json!([{"type": kind, "text": text}]);
        fields.insert("content".to_owned(), parts);
    }
    if let Some(Value::Array(parts)) = fields.get_mut("content") {
        for part in parts {
            part.as_object_mut().unwrap().remove("annotations");
        }
    }
}

/// Null fields equal missing ones.
fn without_nulls(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            for value in fields.values_mut() {
                *value = without_nulls(value.take());
            }
        }
        Value::Array(values) => {
            for value in values {
                *value = without_nulls(value.take());
            }
        }
        _ => {}
    }
    value
}
