use std::collections::HashSet;

use serde_json::Value;

use super::issued::IssuedReasoning;
use super::rules::{CheckResult, ensure, known_fields, non_blank, non_empty};
use super::schema;

const FIELDS: &[&str] = &[
    "model",
    "messages",
    "tools",
    "tool_choice",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "store",
    "usage",
    "reasoning_effort",
    "reasoning",
    "thinking",
    "chat_template_kwargs",
    "stop",
    "prompt_cache_key",
    "enable_thinking",
];

pub(super) fn check(body: &Value, model: &str, issued: &IssuedReasoning) -> CheckResult {
    known_fields(body, FIELDS, "request")?;
    for tool in body["tools"].as_array().into_iter().flatten() {
        ensure(tool["type"] == "function", || {
            "a tool must be a function".to_owned()
        })?;
        schema::tool_name(&tool["function"]["name"])?;
        schema::parameters(&tool["function"]["parameters"])?;
    }
    let mut history = CheckedChat {
        model,
        takes_thinking: is_mistral(model) || issued.is_elsewhere(),
        ..CheckedChat::default()
    };
    for message in non_empty(&body["messages"], "messages")? {
        history.message(message)?;
    }
    history.nothing_open()
}

#[derive(Debug, Default)]
struct CheckedChat<'a> {
    model: &'a str,
    /// True if the content of an assistant message may be a list of reasoning and text: only Mistral's
    /// models make and take such lists.
    takes_thinking: bool,
    begun: bool,
    /// True if the last message was a tool's.
    after_tool: bool,
    /// The calls of the last assistant message without a result so far.
    open: HashSet<String>,
}

impl CheckedChat<'_> {
    fn message(&mut self, message: &Value) -> CheckResult {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" {
            self.nothing_open()?;
        }
        match role {
            "system" | "developer" => {
                ensure(!self.begun, || {
                    "the system prompt must come first".to_owned()
                })?;
                return non_blank(&message["content"], "system").map(drop);
            }
            "user" => {
                ensure(!(self.after_tool && is_mistral(self.model)), || {
                    "Unexpected role 'user' after role 'tool'".to_owned()
                })?;
                user(&message["content"])?;
            }
            "assistant" => self.assistant(message)?,
            "tool" => self.result(message)?,
            other => return Err(format!("unknown role {other:?}")),
        }
        self.begun = true;
        self.after_tool = role == "tool";
        Ok(())
    }

    fn assistant(&mut self, message: &Value) -> CheckResult {
        let calls = message["tool_calls"].as_array();
        if let Some(text) = message["content"].as_str() {
            ensure(calls.is_some() || !text.trim().is_empty(), || {
                "an assistant message must have text or calls".to_owned()
            })?;
        } else {
            let thoughts = self.takes_thinking && thinking_parts(&message["content"])?;
            ensure(
                thoughts || message["content"].is_null() && calls.is_some(),
                || "an assistant message must have text or calls".to_owned(),
            )?;
        }
        let Some(calls) = calls else {
            return Ok(());
        };
        ensure(!calls.is_empty(), || {
            "tool_calls must not be empty".to_owned()
        })?;
        if self.model.starts_with("deepseek") {
            ensure(message["reasoning_content"].is_string(), || {
                "reasoning_content in the thinking mode must be passed back".to_owned()
            })?;
        }
        for call in calls {
            let id = schema::call_id(&call["id"], 40)?;
            schema::tool_name(&call["function"]["name"])?;
            schema::arguments(&call["function"]["arguments"])?;
            ensure(self.open.insert(id.to_owned()), || {
                format!("call id {id} twice")
            })?;
        }
        Ok(())
    }

    fn result(&mut self, message: &Value) -> CheckResult {
        let id = message["tool_call_id"].as_str().unwrap_or_default();
        non_blank(&message["content"], "tool content")?;
        ensure(self.open.remove(id), || {
            format!("a tool message must follow the tool_calls that it answers: {id:?}")
        })
    }

    fn nothing_open(&self) -> CheckResult {
        ensure(self.open.is_empty(), || {
            format!("tool_calls without tool messages: {:?}", self.open)
        })
    }
}

/// Returns whether the content of an assistant message is a list of reasoning and text.
fn thinking_parts(content: &Value) -> Result<bool, String> {
    if !content.is_array() {
        return Ok(false);
    }
    for part in non_empty(content, "assistant content")? {
        match part["type"].as_str() {
            Some("thinking") => drop(non_empty(&part["thinking"], "thinking")?),
            Some("text") => non_blank(&part["text"], "assistant text").map(drop)?,
            other => return Err(format!("unknown part of an assistant message: {other:?}")),
        }
    }
    Ok(true)
}

fn is_mistral(model: &str) -> bool {
    model.starts_with("magistral") || model.starts_with("mistral")
}

fn user(content: &Value) -> CheckResult {
    if content.is_string() {
        return non_blank(content, "user content").map(drop);
    }
    for part in non_empty(content, "user content")? {
        match part["type"].as_str() {
            Some("text") => non_blank(&part["text"], "user text").map(drop)?,
            Some("image_url") => schema::data_url(&part["image_url"]["url"])?,
            other => return Err(format!("unknown part of a user message: {other:?}")),
        }
    }
    Ok(())
}
