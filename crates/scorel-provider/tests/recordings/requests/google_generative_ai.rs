use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::{
    AssistantMessage, Block, Message, Meta, StopReason, ThinkingLevel, ToolResultBlock,
    ToolResultMessage, UserMessage,
};
use serde_json::{Map, Value, json};

use super::{any_blob, kept, sent, with_requests};
use crate::fixture::Recording;
use crate::rebuilt::Rebuilt;

const API: &str = "google-generative-ai";

/// Fields that the engine does not set: sampling, server-side tools and filters, other response
/// formats, and cached content.
const UNSAID: &[&str] = &[
    "cachedContent",
    "codeExecution",
    "googleSearch",
    "modelArmorConfig",
    "responseJsonSchema",
    "responseMimeType",
    "responseModalities",
    "safetySettings",
    "temperature",
    "urlContext",
];

pub(crate) async fn requests_of_google_generative_ai_are_rendered_as_they_were_recorded() {
    for fixture in with_requests(API, 37, &[]) {
        check(&fixture).await;
    }
}

async fn check(fixture: &Recording) {
    let recorded = fixture.sidecar("request");
    let (_, path) = recorded["url"]
        .as_str()
        .unwrap()
        .split_once("/models/")
        .unwrap();
    let model = path.split(':').next().unwrap();
    let request = sent(API, "", rebuild(model, &recorded["body"])).await;
    assert!(
        request.path.ends_with(&format!(
            "/v1beta/models/{model}:streamGenerateContent?alt=sse"
        )),
        "{}: {}",
        fixture.name,
        request.path
    );
    let (rendered, expected) = (normal(request.json()), normal(recorded["body"].clone()));
    assert_eq!(rendered, expected, "{}", fixture.name);
}

pub(crate) fn rebuild(model: &str, body: &Value) -> Rebuilt {
    let generation = &body["generationConfig"];
    let thinking = match generation["thinkingConfig"]["thinkingBudget"].as_u64() {
        Some(0) => ThinkingLevel::None,
        Some(128) => ThinkingLevel::Minimal,
        None => ThinkingLevel::Default,
        Some(other) => panic!("no level has the budget {other}"),
    };
    let system = body["systemInstruction"]["parts"][0]["text"].as_str();
    let contents = list(&body["contents"]);
    let tools = list(&body["tools"]).flat_map(|tool| list(&tool["functionDeclarations"]));
    Rebuilt {
        model: model.to_owned(),
        max_output_tokens: generation["maxOutputTokens"].as_u64(),
        stop_sequences: Vec::new(),
        request: ModelRequest {
            system: system.unwrap_or_default().to_owned(),
            messages: contents
                .flat_map(|content| messages(model, content))
                .collect(),
            tools: tools.map(tool).collect(),
            thinking,
        },
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn tool(function: &Value) -> ToolSpec {
    let said = normal(json!([function]));
    ToolSpec {
        name: function["name"].as_str().unwrap().to_owned(),
        description: function["description"].as_str().unwrap().to_owned(),
        parameters: said[0]["parametersJsonSchema"].clone().into(),
        read_only: true,
        class: scorel_engine::ToolClass::Inspect,
    }
}

fn messages(model: &str, content: &Value) -> Vec<Message> {
    let parts = list(&content["parts"]);
    if content["role"] == "model" {
        let answer = AssistantMessage {
            content: parts.map(|part| answered(model, part)).collect(),
            model: model.to_owned(),
            stop_reason: StopReason::EndTurn,
            usage: None,
            cost: None,
            partial: false,
            meta: Meta::default(),
        };
        return vec![Message::Assistant(answer)];
    }
    parts.map(said).collect()
}

/// A user part as a message of its own; rendering joins them again.
fn said(part: &Value) -> Message {
    let response = &part["functionResponse"];
    if response.is_object() {
        let output = response["response"].as_object().unwrap().values().next();
        let result = ToolResultBlock {
            tool_use_id: response["id"].as_str().unwrap().to_owned(),
            content: vec![Block::text(output.unwrap().as_str().unwrap())],
            is_error: false,
            details: None,
        };
        let name = response["name"].as_str().unwrap();
        return Message::ToolResult(ToolResultMessage::new(name, result, 1));
    }
    let block = match part["text"].as_str() {
        Some(text) => Block::text(text),
        None => Block::Image {
            media_type: part["inlineData"]["mimeType"].as_str().unwrap().to_owned(),
            blob: any_blob(),
        },
    };
    Message::User(UserMessage {
        content: vec![block],
        meta: Meta::default(),
    })
}

fn answered(model: &str, part: &Value) -> Block {
    let call = &part["functionCall"];
    if call.is_null() {
        return Block::text(part["text"].as_str().unwrap());
    }
    let facts = json!({"id": call["id"], "signature": part["thoughtSignature"]});
    Block::ToolUse {
        id: call["id"].as_str().unwrap().to_owned(),
        name: call["name"].as_str().unwrap().to_owned(),
        input: call["args"].clone(),
        invalid_input: None,
        provider: Some(kept(API, model, "call", facts)),
    }
}

/// The request without differences that have no effect.
fn normal(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| field(&name, value));
            Value::Object(fields.flatten().collect())
        }
        Value::Array(items) => {
            let items = items.into_iter().map(normal);
            items.filter(|item| !is_empty(item)).collect()
        }
        other => other,
    }
}

fn field(name: &str, value: Value) -> Option<(String, Value)> {
    let (name, value) = match name {
        name if UNSAID.contains(&name) => return None,
        // The default mode.
        "toolConfig" if value["functionCallingConfig"]["mode"] == "AUTO" => return None,
        // The role of the system instruction is ignored by the API.
        "systemInstruction" => (name, json!({"parts": value["parts"]})),
        // Set by some recorded clients; only `true` has an effect.
        "thought" if value == false => return None,
        // Scorel always requests thought summaries.
        "includeThoughts" => return None,
        // Recorded clients use both schema fields; the engine uses JSON Schema.
        "parameters" | "parameters_json_schema" | "parametersJsonSchema" => {
            let schema = lower_case_types(value);
            return Some(("parametersJsonSchema".to_owned(), schema));
        }
        // The engine's results are texts; the API accepts any field.
        "result" | "return_value" => ("output", value),
        // Not in the recordings.
        "data" => (name, json!("…")),
        // As the model issued them.
        "args" | "functionCall" if value.is_object() => {
            return Some((name.to_owned(), value));
        }
        _ => (name, value),
    };
    let value = normal(value);
    (!is_empty(&value)).then(|| (name.to_owned(), value))
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || *value == json!({}) || *value == json!([])
}

/// The OpenAPI subset has type names in upper case.
fn lower_case_types(schema: Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema;
    };
    let fields: Map<String, Value> = fields
        .into_iter()
        .map(|(name, value)| match (name.as_str(), value) {
            ("type", Value::String(kind)) => (name, json!(kind.to_lowercase())),
            (_, value) => (name, lower_case_types(value)),
        })
        .collect();
    Value::Object(fields)
}
