use serde_json::Value;

use super::issued::IssuedReasoning;
use super::rules::{CheckResult, ensure, known_fields, non_blank, non_empty};
use super::schema;

const FIELDS: &[&str] = &[
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
];
const GENERATION: &[&str] = &[
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "stopSequences",
    "thinkingConfig",
];

/// Accepted in place of the signature of a call that another model made.
const FOREIGN: &str = "skip_thought_signature_validator";

/// The model id in the path.
pub(super) fn model(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("/models/")?;
    rest.split(':').next()
}

pub(super) fn check(body: &Value, model: &str, issued: &IssuedReasoning) -> CheckResult {
    known_fields(body, FIELDS, "request")?;
    if !body["generationConfig"].is_null() {
        known_fields(&body["generationConfig"], GENERATION, "generationConfig")?;
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        for function in non_empty(&tool["functionDeclarations"], "functionDeclarations")? {
            function_name(&function["name"])?;
            let described = &function["parametersJsonSchema"];
            let parameters = &function["parameters"];
            schema::parameters(if described.is_null() {
                parameters
            } else {
                described
            })?;
        }
    }
    let contents = non_empty(&body["contents"], "contents")?;
    ensure(contents[0]["role"] == "user", || {
        "the first turn must be the user's".to_owned()
    })?;
    let mut calls: Vec<&Value> = Vec::new();
    for (index, content) in contents.iter().enumerate() {
        let parts = non_empty(&content["parts"], "parts")?;
        let before = index.checked_sub(1).map(|index| &contents[index]["role"]);
        ensure(before != Some(&content["role"]), || {
            "two turns of one role".to_owned()
        })?;
        match content["role"].as_str() {
            Some("user") => {
                user(parts, &calls)?;
                calls.clear();
            }
            Some("model") => calls = answer(parts, model, issued)?,
            other => return Err(format!("unknown role {other:?}")),
        }
    }
    ensure(calls.is_empty(), || {
        "function calls without responses".to_owned()
    })
}

fn user(parts: &[Value], calls: &[&Value]) -> CheckResult {
    let responses: Vec<&Value> = parts
        .iter()
        .map(|part| &part["functionResponse"])
        .filter(|response| response.is_object())
        .collect();
    ensure(responses.len() == calls.len(), || {
        "the number of function response parts must equal that of the function call parts"
            .to_owned()
    })?;
    for (response, call) in responses.iter().zip(calls) {
        ensure(response["name"] == call["name"], || {
            "response to another function".to_owned()
        })?;
        ensure(response["id"] == call["id"], || {
            "response to another call".to_owned()
        })?;
        ensure(response["response"].is_object(), || {
            "a response must be an object".to_owned()
        })?;
    }
    for part in parts
        .iter()
        .filter(|part| part["functionResponse"].is_null())
    {
        if part["inlineData"].is_object() {
            ensure(part["inlineData"]["data"].is_string(), || {
                "inlineData without data".to_owned()
            })?;
        } else {
            non_blank(&part["text"], "text")?;
        }
    }
    Ok(())
}

/// Checks a model content and returns its calls.
fn answer<'a>(
    parts: &'a [Value],
    model: &str,
    issued: &IssuedReasoning,
) -> Result<Vec<&'a Value>, String> {
    let mut calls = Vec::new();
    for part in parts {
        let signed = &part["thoughtSignature"];
        let genuine = signed.is_null() || signed == FOREIGN || issued.accepts(model, signed);
        ensure(genuine, || "Corrupted thought signature.".to_owned())?;
        let call = &part["functionCall"];
        if call.is_object() {
            function_name(&call["name"])?;
            ensure(call["args"].is_object(), || {
                "args must be an object".to_owned()
            })?;
            let first = calls.is_empty() && model.starts_with("gemini-3");
            ensure(!first || !signed.is_null(), || {
                "Function call is missing a thought_signature".to_owned()
            })?;
            calls.push(call);
        } else if signed.is_null() && !is_tools(part) {
            non_blank(&part["text"], "text")?;
        }
    }
    Ok(calls)
}

/// Returns whether a part is of the tools that the endpoint runs itself, or holds data.
fn is_tools(part: &Value) -> bool {
    ["executableCode", "codeExecutionResult", "inlineData"]
        .iter()
        .any(|field| part[field].is_object())
}

/// Names begin with a letter or an underscore here.
fn function_name(value: &Value) -> CheckResult {
    let name = schema::tool_name(value)?;
    ensure(
        !name.starts_with(|first: char| first == '-' || first.is_ascii_digit()),
        || format!("Invalid function name {name:?}: must start with a letter or an underscore"),
    )
}
