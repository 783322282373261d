mod assistant;

use std::collections::HashSet;

use serde_json::Value;

use super::issued::IssuedReasoning;
use super::rules::{CheckResult, ensure, known_fields, non_blank, non_empty};
use super::schema;
use assistant::AssistantRules;

const FIELDS: &[&str] = &[
    "model",
    "max_tokens",
    "stream",
    "system",
    "messages",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "stop_sequences",
    "metadata",
    "cache_control",
];

/// The API's limit of `cache_control` breakpoints.
const CACHE_MARKS: usize = 4;

pub(super) fn check(body: &Value, model: &str, issued: &IssuedReasoning) -> CheckResult {
    known_fields(body, FIELDS, "request")?;
    let limit = body["max_tokens"].as_u64().unwrap_or(0);
    ensure(limit > 0, || "max_tokens: field required".to_owned())?;
    if body["thinking"]["type"] == "enabled" {
        let budget = body["thinking"]["budget_tokens"].as_u64().unwrap_or(0);
        ensure((1024..limit).contains(&budget), || {
            "budget_tokens must be at least 1024 and less than max_tokens".to_owned()
        })?;
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        schema::tool_name(&tool["name"])?;
        schema::parameters(&tool["input_schema"])?;
    }
    let marks = body.to_string().matches(r#""cache_control":"#).count();
    ensure(marks <= CACHE_MARKS, || {
        format!("{marks} blocks with cache_control")
    })?;
    let thinks = body["thinking"].is_object() && body["thinking"]["type"] != "disabled";
    let messages = merged(non_empty(&body["messages"], "messages")?)?;
    ensure(messages[0].0 == "user", || {
        "the first message must be the user's".to_owned()
    })?;
    let mut open: Vec<&str> = Vec::new();
    for (index, (role, content)) in messages.iter().enumerate() {
        if *role == "user" {
            user(content, &open)?;
            open.clear();
        } else {
            ensure(open.is_empty(), || {
                "tool_use without tool_result".to_owned()
            })?;
            let last = index + 1 == messages.len();
            let rules = AssistantRules {
                model,
                issued,
                thinks,
                last,
            };
            open = rules.check(content)?;
            ensure(!(last && thinks), || "no prefill while thinking".to_owned())?;
        }
    }
    ensure(open.is_empty(), || {
        format!("tool_use ids without tool_result: {open:?}")
    })
}

/// The messages, with neighbours of the same role merged, as the API does.
fn merged(messages: &[Value]) -> Result<Vec<(&str, Vec<&Value>)>, String> {
    let mut merged: Vec<(&str, Vec<&Value>)> = Vec::new();
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        ensure(matches!(role, "user" | "assistant"), || {
            format!("unknown role {role:?}")
        })?;
        let blocks: Vec<&Value> = if message["content"].is_string() {
            non_blank(&message["content"], "content")?;
            Vec::new()
        } else {
            non_empty(&message["content"], "content")?.iter().collect()
        };
        match merged.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => merged.push((role, blocks)),
        }
    }
    Ok(merged)
}

fn user(content: &[&Value], open: &[&str]) -> CheckResult {
    let mut answered = HashSet::new();
    let mut other = false;
    for block in content {
        match block["type"].as_str().unwrap_or_default() {
            "tool_result" => {
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                ensure(!other, || "tool_result blocks must come first".to_owned())?;
                ensure(open.contains(&id), || {
                    format!("tool_result without tool_use: {id:?}")
                })?;
                ensure(answered.insert(id), || format!("two results for {id}"))?;
                result(&block["content"])?;
            }
            "text" => {
                other = true;
                non_blank(&block["text"], "text")?;
            }
            "image" => {
                other = true;
                image(block)?;
            }
            unknown => return Err(format!("unknown block of the user: {unknown:?}")),
        }
    }
    ensure(answered.len() == open.len(), || {
        format!("tool_use ids without tool_result right after them: {open:?}")
    })
}

fn result(content: &Value) -> CheckResult {
    if content.is_null() || content.is_string() {
        return Ok(());
    }
    for block in content
        .as_array()
        .ok_or("a result must be text or a list")?
    {
        match block["type"].as_str() {
            Some("text") => non_blank(&block["text"], "text").map(drop)?,
            Some("image") => image(block)?,
            other => return Err(format!("unknown block of a result: {other:?}")),
        }
    }
    Ok(())
}

fn image(block: &Value) -> CheckResult {
    let source = &block["source"];
    let known = source["type"] == "base64"
        && source["media_type"].is_string()
        && source["data"].as_str().is_some_and(|data| !data.is_empty());
    ensure(known, || {
        "an image needs base64 data and a media type".to_owned()
    })
}
