use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ThinkingLevel, ToolResultBlock,
    ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

use super::{any_blob, with_requests};
use crate::rebuilt::{Rebuilt, sent_like};

const API: &str = "openai-completions";

/// Excluded cases, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "http-400-context-overflow-llamacpp",
        "the recording leaves the request out",
    ),
    (
        "http-400-deepseek-tool-choice",
        "refused for a tool that was forced while thinking: no tool is ever forced",
    ),
    (
        "http-400-unsupported-param-with-ratelimit-headers",
        "refused for a text to stop at: models that think are sent none",
    ),
];

pub(crate) async fn requests_of_openai_completions_are_rendered_as_they_were_recorded() {
    for fixture in with_requests(API, 58, EXCEPTIONS) {
        let recorded = &fixture.sidecar("request")["body"];
        let url = fixture.sidecar("request")["url"].as_str();
        let provider = provider_at(url.unwrap_or_default());
        let request = sent_like(provider, API, "/v1", rebuilt(recorded)).await;
        assert_eq!(request.path, "/v1/chat/completions", "{}", fixture.name);
        let mut rendered = normal(request.json());
        let expected = normal(recorded.clone());
        let fields = rendered.as_object_mut().unwrap();
        // Sent by Scorel only: the limit of known models, and `usage.include`.
        fields.retain(|name, _| {
            !["limit", "usage"].contains(&name.as_str()) || !expected[name].is_null()
        });
        assert_eq!(rendered, expected, "{}", fixture.name);
    }
}

/// The built-in provider with the dialect of a host; `None` for unknown hosts.
fn provider_at(url: &str) -> Option<&'static str> {
    let hosts = [
        ("azure.com", "openai"),
        ("api.openai.com", "openai"),
        ("api.deepseek.com", "deepseek"),
        ("api.groq.com", "groq"),
        ("api.mistral.ai", "mistral"),
        ("api.x.ai", "xai"),
        ("api.z.ai", "zhipu"),
        ("ollama.com", "ollama"),
        ("openrouter.ai", "openrouter"),
        ("ai-gateway.vercel.sh", "openrouter"),
        ("snowflakecomputing.com", "openrouter"),
    ];
    let found = hosts.into_iter().find(|(host, _)| url.contains(host));
    found.map(|(_, provider)| provider)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn rebuilt(recorded: &Value) -> Rebuilt {
    let messages = recorded["messages"].as_array().unwrap();
    let (system, rest): (Vec<&Value>, Vec<&Value>) =
        messages.iter().partition(|message| is_system(message));
    let tools = recorded["tools"].as_array().into_iter().flatten();
    Rebuilt {
        model: text(&recorded["model"]),
        max_output_tokens: limit(recorded).as_u64(),
        stop_sequences: Vec::new(),
        request: ModelRequest {
            system: system.first().map_or_else(String::new, |first| said(first)),
            messages: rest.into_iter().map(message).collect(),
            tools: tools.map(tool).collect(),
            thinking: thinking(recorded),
        },
    }
}

fn is_system(message: &Value) -> bool {
    message["role"] == "system" || message["role"] == "developer"
}

fn limit(body: &Value) -> &Value {
    match &body["max_completion_tokens"] {
        Value::Null => &body["max_tokens"],
        limit => limit,
    }
}

fn thinking(recorded: &Value) -> ThinkingLevel {
    let efforts = [
        &recorded["reasoning_effort"],
        &recorded["reasoning"]["effort"],
    ];
    let effort = efforts.into_iter().find(|effort| !effort.is_null());
    effort.map_or(ThinkingLevel::Default, |effort| {
        serde_json::from_value(effort.clone()).unwrap()
    })
}

fn said(message: &Value) -> String {
    match &message["content"] {
        Value::Array(parts) => text(&parts[0]["text"]),
        content => text(content),
    }
}

fn tool(tool: &Value) -> ToolSpec {
    let function = &tool["function"];
    ToolSpec {
        name: text(&function["name"]),
        description: text(&function["description"]),
        parameters: function["parameters"].clone().into(),
        read_only: false,
        class: scorel_engine::ToolClass::Inspect,
    }
}

fn message(recorded: &Value) -> Message {
    match recorded["role"].as_str().unwrap() {
        "assistant" => Message::Assistant(answer(recorded)),
        "tool" => {
            let result = ToolResultBlock {
                tool_use_id: text(&recorded["tool_call_id"]),
                content: vec![Block::text(said(recorded))],
                is_error: false,
                details: None,
            };
            Message::ToolResult(ToolResultMessage::new("tool", result, 1))
        }
        _ => Message::User(UserMessage {
            content: parts(&recorded["content"]),
            meta: Meta::default(),
        }),
    }
}

fn parts(content: &Value) -> Vec<Block> {
    let Value::Array(parts) = content else {
        return vec![Block::text(text(content))];
    };
    let block = |part: &Value| match part["image_url"]["url"].as_str() {
        Some(url) => Block::Image {
            media_type: url[5..].split(';').next().unwrap().to_owned(),
            blob: any_blob(),
        },
        None => Block::text(text(&part["text"])),
    };
    parts.iter().map(block).collect()
}

fn answer(recorded: &Value) -> AssistantMessage {
    let said = said(recorded);
    let mut content = Vec::new();
    if !said.is_empty() {
        content.push(Block::text(said));
    }
    for call in recorded["tool_calls"].as_array().into_iter().flatten() {
        let arguments = call["function"]["arguments"].as_str().unwrap();
        content.push(Block::ToolUse {
            id: text(&call["id"]),
            name: text(&call["function"]["name"]),
            input: serde_json::from_str(arguments).unwrap(),
            invalid_input: None,
            provider: None,
        });
    }
    AssistantMessage {
        content,
        model: "model".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    }
}

/// The request without permitted differences.
fn normal(mut body: Value) -> Value {
    // The output limit has two names, and some recorded clients used the other.
    let limit = limit(&body).clone();
    let fields = body.as_object_mut().unwrap();
    fields.insert("limit".to_owned(), limit);
    for name in [
        "max_tokens",
        "max_completion_tokens",
        // Scorel always streams and asks for usage; some recorded clients did not.
        "stream",
        "stream_options",
        // The engine does not set these.
        "temperature",
        "seed",
        "n",
        "user",
        "moderation",
        "tool_choice",
        "response_format",
        // `store` and the cache key are our own.
        "store",
        "prompt_cache_key",
    ] {
        fields.remove(name);
    }
    // Enabling reasoning without a level is the default.
    if fields.get("reasoning") == Some(&json!({"enabled": true})) {
        fields.remove("reasoning");
    }
    for tool in body["tools"].as_array_mut().into_iter().flatten() {
        // The engine's schemas are not strict.
        tool["function"].as_object_mut().unwrap().remove("strict");
    }
    for message in body["messages"].as_array_mut().unwrap() {
        normal_message(message);
    }
    let fields = body.as_object_mut().unwrap();
    fields.retain(|_, value| !value.is_null());
    body
}

fn normal_message(message: &mut Value) {
    // Hosts that know the role `developer` also accept `system`.
    if message["role"] == "developer" {
        message["role"] = json!("system");
    }
    for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
        // Compared as JSON, regardless of white space.
        let arguments = call["function"]["arguments"].as_str().unwrap();
        call["function"]["arguments"] = serde_json::from_str(arguments).unwrap();
    }
    let content = &mut message["content"];
    for part in content.as_array_mut().into_iter().flatten() {
        let part = part.as_object_mut().unwrap();
        // Cache marks are our own.
        part.remove("cache_control");
        if let Some(Value::String(url)) = part.get_mut("image_url").map(|url| &mut url["url"]) {
            // The recordings do not contain image bytes.
            let (kind, _) = url.split_once(";base64,").unwrap();
            *url = kind.to_owned();
        }
    }
    // A string equals a list with one text.
    if let Some([part]) = content.as_array().map(Vec::as_slice)
        && part["type"] == "text"
    {
        *content = part["text"].clone();
    }
    let fields = message.as_object_mut().unwrap();
    fields.retain(|_, value| !value.is_null());
}
