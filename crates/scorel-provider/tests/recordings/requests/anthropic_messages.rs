use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ThinkingLevel, ToolResultBlock,
    ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

use super::{any_blob, kept, sent, with_requests};
use crate::rebuilt::Rebuilt;

const API: &str = "anthropic-messages";

/// Excluded cases, whose requests use features that the engine does not have, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("citations-document", "a document as input"),
    ("code-execution-server-tool", "a tool of the endpoint"),
    ("compaction-usage", "the endpoint compacts the conversation"),
    ("error-overloaded-midstream", "a picture by its address"),
    (
        "http-400-invalid-param",
        "an effort above the highest level",
    ),
    ("json-schema-output", "an answer that follows a schema"),
    ("pause-turn-web-search", "a tool of the endpoint"),
    ("text-long", "a picture by its address"),
    (
        "thinking-interleaved-mcp",
        "servers of tools that the endpoint calls",
    ),
    ("thinking-omitted-signature-only", "a tool of the endpoint"),
    ("tool-search-deferred", "a tool of the endpoint"),
    ("truncated-mid-text", "a picture by its address"),
    (
        "vertex-rawpredict",
        "another path and another place of the model's name",
    ),
    ("web-search-citations", "a tool of the endpoint"),
];

pub(crate) async fn requests_of_anthropic_messages_are_rendered_as_they_were_recorded() {
    for fixture in with_requests(API, 25, EXCEPTIONS) {
        let recorded = &fixture.sidecar("request")["body"];
        let request = sent(API, "", rebuilt(recorded)).await;
        assert_eq!(request.path, "/v1/messages");
        let mut rendered = request.json();
        // An unknown model is treated as a new one, which is asked to show its reasoning.
        if recorded["thinking"].is_null() {
            rendered.as_object_mut().unwrap().remove("thinking");
        }
        let (rendered, expected) = (normal(rendered), normal(recorded.clone()));
        assert_eq!(rendered, expected, "{}", fixture.name);
    }
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn rebuilt(recorded: &Value) -> Rebuilt {
    let messages = recorded["messages"].as_array().unwrap().iter();
    let tools = recorded["tools"].as_array().into_iter().flatten();
    Rebuilt {
        model: text(&recorded["model"]),
        max_output_tokens: recorded["max_tokens"].as_u64(),
        stop_sequences: texts(&recorded["stop_sequences"]),
        request: ModelRequest {
            system: system(&recorded["system"]),
            messages: messages
                .flat_map(|message| said(message, &recorded["model"]))
                .collect(),
            tools: tools.map(tool).collect(),
            thinking: match recorded["thinking"]["type"].as_str() {
                Some(_) => ThinkingLevel::High,
                None => ThinkingLevel::Default,
            },
        },
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn system(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap_or_default().to_owned(),
    }
}

fn tool(tool: &Value) -> ToolSpec {
    ToolSpec {
        name: tool["name"].as_str().unwrap().to_owned(),
        description: tool["description"].as_str().unwrap().to_owned(),
        parameters: tool["input_schema"].clone().into(),
        read_only: false,
        class: scorel_engine::ToolClass::Inspect,
    }
}

fn said(message: &Value, model: &Value) -> Vec<Message> {
    let content = message["content"].as_array().unwrap();
    if message["role"] == "assistant" {
        return vec![answer(content, model)];
    }
    let (results, said): (Vec<&Value>, Vec<&Value>) = content
        .iter()
        .partition(|block| block["type"] == "tool_result");
    let mut messages: Vec<Message> = results.into_iter().map(result).collect();
    if !said.is_empty() {
        messages.push(Message::User(UserMessage {
            content: said.into_iter().map(block).collect(),
            meta: Meta::default(),
        }));
    }
    messages
}

fn result(recorded: &Value) -> Message {
    let result = ToolResultBlock {
        tool_use_id: text(&recorded["tool_use_id"]),
        content: match &recorded["content"] {
            Value::String(text) => vec![Block::text(text.as_str())],
            parts => parts.as_array().unwrap().iter().map(block).collect(),
        },
        is_error: recorded["is_error"] == true,
        details: None,
    };
    Message::ToolResult(ToolResultMessage::new("tool", result, 1))
}

fn block(recorded: &Value) -> Block {
    if recorded["type"] == "text" {
        return Block::text(text(&recorded["text"]));
    }
    Block::Image {
        media_type: text(&recorded["source"]["media_type"]),
        blob: any_blob(),
    }
}

fn answer(content: &[Value], model: &Value) -> Message {
    let own = kept(API, model.as_str().unwrap(), "signed", json!(true));
    let content = content
        .iter()
        .map(|block| match block["type"].as_str().unwrap() {
            "text" => Block::text(text(&block["text"])),
            "thinking" => Block::Thinking {
                text: text(&block["thinking"]),
                signature: Some(text(&block["signature"])),
                redacted: false,
                provider: Some(own.clone()),
            },
            "tool_use" => Block::ToolUse {
                id: text(&block["id"]),
                name: text(&block["name"]),
                input: block["input"].clone(),
                invalid_input: None,
                provider: None,
            },
            other => panic!("unknown block {other}"),
        });
    Message::Assistant(AssistantMessage {
        content: content.collect(),
        model: text(model),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    })
}

/// The request without permitted differences.
fn normal(mut body: Value) -> Value {
    without_marks(&mut body);
    let fields = body.as_object_mut().unwrap();
    // Scorel always streams; the recorded failures were requested without.
    fields.remove("stream");
    // The engine sets neither temperature nor tool choice.
    fields.remove("temperature");
    fields.remove("tool_choice");
    // The budget of a level is the engine's choice; the highest effort is the default.
    fields.remove("output_config");
    if let Some(thinking) = fields.get_mut("thinking") {
        // For models that take both parameters only one is sent.
        *thinking = json!(thinking["type"] != "disabled");
    }
    for message in body["messages"].as_array_mut().unwrap() {
        let content = message["content"].as_array_mut().unwrap();
        // Blank texts are left out.
        content.retain(|block| block["type"] != "text" || block["text"] != " ");
        for block in content {
            // The recordings do not contain image bytes.
            if !block["source"].is_null() {
                block["source"]["data"].take();
            }
            // A string equals a list with one text.
            if let Value::String(text) = &block["content"] {
                block["content"] = json!([{"type": "text", "text": text}]);
            }
        }
    }
    body
}

/// The positions of cache breakpoints are each client's choice.
fn without_marks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("cache_control");
            fields.values_mut().for_each(without_marks);
        }
        Value::Array(values) => values.iter_mut().for_each(without_marks),
        _ => {}
    }
}
