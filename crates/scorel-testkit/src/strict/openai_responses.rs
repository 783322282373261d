use std::collections::HashSet;

use serde_json::Value;

use super::issued::IssuedReasoning;
use super::rules::{CheckResult, ensure, known_fields, non_blank, non_empty};
use super::schema;

const FIELDS: &[&str] = &[
    "model",
    "input",
    "instructions",
    "stream",
    "store",
    "include",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_output_tokens",
    "reasoning",
    "text",
    "prompt_cache_key",
];

/// Items of the tools that the endpoint runs itself.
const HOSTED: &[&str] = &[
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "tool_search_call",
    "tool_search_output",
    "compaction",
];

pub(super) fn check(body: &Value, model: &str, issued: &IssuedReasoning) -> CheckResult {
    known_fields(body, FIELDS, "request")?;
    for tool in body["tools"].as_array().into_iter().flatten() {
        ensure(tool["type"] == "function", || {
            "a tool must be a function".to_owned()
        })?;
        schema::tool_name(&tool["name"])?;
        schema::parameters(&tool["parameters"])?;
        ensure(tool["strict"] == false, || {
            "strict schemas must require every property".to_owned()
        })?;
    }
    if let Some(limit) = body["max_output_tokens"].as_u64() {
        ensure(limit >= 16, || {
            "max_output_tokens must be at least 16".to_owned()
        })?;
    }
    let mut history = CheckedInput::default();
    let items = non_empty(&body["input"], "input")?;
    for (index, item) in items.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| &items[index]);
        history.item(item, before, items.get(index + 1), model, issued)?;
    }
    ensure(history.open.is_empty(), || {
        format!("No tool output found for function call {:?}", history.open)
    })
}

#[derive(Debug, Default)]
struct CheckedInput {
    open: HashSet<String>,
    /// True if a reasoning item came since the last user message or result.
    reasoned: bool,
}

impl CheckedInput {
    fn item(
        &mut self,
        item: &Value,
        before: Option<&Value>,
        after: Option<&Value>,
        model: &str,
        issued: &IssuedReasoning,
    ) -> CheckResult {
        match item["type"].as_str().unwrap_or("message") {
            "message" => self.message(item),
            "reasoning" => {
                self.reasoned = true;
                reasoning(item, after, model, issued)
            }
            "function_call" => {
                let id = schema::call_id(&item["call_id"], 64)?;
                schema::tool_name(&item["name"])?;
                schema::arguments(&item["arguments"])?;
                let first = before.is_none_or(|before| before["type"] != "function_call");
                ensure(
                    !first || self.reasoned || !issued.is_reasoned(model, id),
                    || format!("function_call {id} without its required reasoning item"),
                )?;
                ensure(self.open.insert(id.to_owned()), || {
                    format!("call id {id} twice")
                })
            }
            "function_call_output" => {
                self.reasoned = false;
                let id = item["call_id"].as_str().unwrap_or_default();
                output(&item["output"])?;
                ensure(self.open.remove(id), || {
                    format!("No tool call found for function call output with call_id {id}")
                })
            }
            hosted if HOSTED.contains(&hosted) => Ok(()),
            other => Err(format!("unknown item {other:?}")),
        }
    }

    fn message(&mut self, item: &Value) -> CheckResult {
        let role = item["role"].as_str().unwrap_or_default();
        let texts: &[&str] = match role {
            "user" | "system" | "developer" => {
                self.reasoned = false;
                ensure(self.open.is_empty(), || {
                    format!("No tool output found for function call {:?}", self.open)
                })?;
                &["input_text"]
            }
            "assistant" => &["output_text"],
            other => return Err(format!("unknown role {other:?}")),
        };
        if item["content"].is_string() {
            return non_blank(&item["content"], "content").map(drop);
        }
        for part in non_empty(&item["content"], "content")? {
            part_of(part, texts)?;
        }
        Ok(())
    }
}

fn part_of(part: &Value, texts: &[&str]) -> CheckResult {
    match part["type"].as_str().unwrap_or_default() {
        text if texts.contains(&text) => non_blank(&part["text"], "text").map(drop),
        "refusal" if texts == ["output_text"] => non_blank(&part["refusal"], "refusal").map(drop),
        "input_image" if texts == ["input_text"] => schema::data_url(&part["image_url"]),
        other => Err(format!("unknown part {other:?}")),
    }
}

fn output(output: &Value) -> CheckResult {
    if output.is_string() {
        return non_blank(output, "output").map(drop);
    }
    for part in non_empty(output, "output")? {
        part_of(part, &["input_text"])?;
    }
    Ok(())
}

fn reasoning(
    item: &Value,
    after: Option<&Value>,
    model: &str,
    issued: &IssuedReasoning,
) -> CheckResult {
    ensure(item["summary"].is_array(), || {
        "reasoning without summary".to_owned()
    })?;
    // Some hosts do not encrypt their reasoning.
    let plain = issued.is_elsewhere() && item["content"].is_array();
    ensure(
        plain || issued.accepts(model, &item["encrypted_content"]),
        || "the encrypted content could not be verified".to_owned(),
    )?;
    let followed = after.is_some_and(|after| {
        let kind = after["type"].as_str().unwrap_or("message");
        let called = kind == "function_call" || HOSTED.contains(&kind);
        called || kind == "reasoning" || after["role"] == "assistant"
    });
    ensure(followed, || {
        "item of type reasoning was provided without its required following item".to_owned()
    })
}
