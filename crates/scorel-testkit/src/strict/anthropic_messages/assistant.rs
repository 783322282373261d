use std::collections::HashSet;

use serde_json::Value;

use crate::strict::issued::IssuedReasoning;
use crate::strict::rules::{CheckResult, ensure, non_blank};
use crate::strict::schema;

/// The context in which an assistant message is checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssistantRules<'a> {
    pub(super) model: &'a str,
    pub(super) issued: &'a IssuedReasoning,
    /// True if the request asks for reasoning.
    pub(super) thinks: bool,
    /// True if the message is the last one.
    pub(super) last: bool,
}

impl AssistantRules<'_> {
    /// Checks the blocks and returns the ids of the calls.
    pub(super) fn check<'a>(&self, content: &[&'a Value]) -> Result<Vec<&'a str>, String> {
        self.end(content)?;
        let mut calls = Vec::new();
        let mut proved = false;
        let mut hosted = HashSet::new();
        for block in content {
            match kind(block) {
                "text" => non_blank(&block["text"], "text").map(drop)?,
                "thinking" => {
                    self.thinking(block)?;
                    proved = true;
                }
                "redacted_thinking" => proved = true,
                "tool_use" => calls.push(self.call(block, &calls, proved)?),
                "server_tool_use" | "mcp_tool_use" => drop(hosted.insert(text(&block["id"]))),
                "compaction" | "fallback" => {}
                result if result.ends_with("_tool_result") => {
                    let id = text(&block["tool_use_id"]);
                    ensure(hosted.remove(id), || {
                        format!("{result} without its tool use: {id:?}")
                    })?;
                }
                unknown => return Err(format!("unknown block of the assistant: {unknown:?}")),
            }
        }
        ensure(hosted.is_empty() || self.last, || {
            format!("tool use without its result: {hosted:?}")
        })?;
        Ok(calls)
    }

    fn end(&self, content: &[&Value]) -> CheckResult {
        let Some(block) = content.last() else {
            return Ok(());
        };
        let kind = kind(block);
        ensure(!matches!(kind, "thinking" | "redacted_thinking"), || {
            format!("The final block in an assistant message cannot be `{kind}`.")
        })?;
        let said = text(&block["text"]);
        ensure(!self.last || said.trim_end() == said, || {
            "final assistant content cannot end with trailing whitespace".to_owned()
        })
    }

    fn thinking(&self, block: &Value) -> CheckResult {
        ensure(self.issued.accepts(self.model, &block["signature"]), || {
            "Invalid signature in thinking block".to_owned()
        })?;
        ensure(block["cache_control"].is_null(), || {
            "thinking blocks cannot be cached".to_owned()
        })
    }

    /// Checks a call and returns its id.
    fn call<'a>(&self, block: &'a Value, before: &[&str], proved: bool) -> Result<&'a str, String> {
        let id = schema::call_id(&block["id"], 64)?;
        ensure(schema::is_plain(id), || {
            format!("tool_use.id: bad characters in {id:?}")
        })?;
        schema::tool_name(&block["name"])?;
        ensure(block["input"].is_object(), || {
            "tool_use.input: not an object".to_owned()
        })?;
        ensure(!before.contains(&id), || {
            "tool_use ids must be unique".to_owned()
        })?;
        let needs_proof = self.thinks && self.issued.is_reasoned(self.model, id);
        ensure(proved || !needs_proof, || {
            "expected thinking or redacted_thinking, but found tool_use".to_owned()
        })?;
        Ok(id)
    }
}

fn kind(block: &Value) -> &str {
    text(&block["type"])
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
