//! The items of a turn: messages, reasoning and calls.

use std::collections::HashMap;
use std::path::PathBuf;

use scorel_engine::{RunnerCallEnd, RunnerEvent, ToolCall};
use scorel_process::OutputTail;
use serde_json::{Value, json};

use super::super::json::{elements, owned, text, text_block};
use super::plain_command::plain_command;
use crate::exchange::Exchange;

/// Open calls that are remembered. More than the driver allows, so that it ends the turn first.
const MAX_ITEMS: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Items {
    open: HashMap<String, OpenItem>,
}

#[derive(Debug, Default)]
struct OpenItem {
    /// True if deltas were seen: then the end has nothing new.
    has_deltas: bool,
    output: OutputTail,
    /// The files of a change.
    paths: Vec<PathBuf>,
}

impl Items {
    pub(super) fn notified(&mut self, method: &str, params: &Value, out: &mut Exchange) {
        match method {
            "item/started" => self.started(&params["item"], out),
            "item/completed" => self.completed(&params["item"], out),
            "item/agentMessage/delta" => {
                self.mark(params);
                let delta = owned(params, "delta");
                out.event(RunnerEvent::Text { delta });
            }
            "item/reasoning/textDelta" | "item/reasoning/summaryTextDelta" => {
                self.mark(params);
                let delta = owned(params, "delta");
                out.event(RunnerEvent::Thinking { delta });
            }
            "item/reasoning/summaryPartAdded" => out.event(RunnerEvent::PartEnd),
            "item/commandExecution/outputDelta" => self.output(params, out),
            _ => out.event(RunnerEvent::Progress),
        }
    }

    /// The files that a change is about; none if it is not known.
    pub(super) fn changed_paths(&self, item: &str) -> &[PathBuf] {
        self.open.get(item).map_or(&[], |item| &item.paths)
    }

    fn started(&mut self, item: &Value, out: &mut Exchange) {
        if self.open.len() < MAX_ITEMS {
            let open = OpenItem {
                paths: paths(&item["changes"]),
                ..OpenItem::default()
            };
            self.open.insert(owned(item, "id"), open);
        }
        if is_call(item) {
            out.event(RunnerEvent::Call(call(item)));
        }
    }

    fn mark(&mut self, params: &Value) {
        if let Some(item) = self.open.get_mut(text(params, "itemId")) {
            item.has_deltas = true;
        }
    }

    fn output(&mut self, params: &Value, out: &mut Exchange) {
        let call_id = text(params, "itemId");
        if let Some(item) = self.open.get_mut(call_id) {
            item.output.push(text(params, "delta"));
            out.event(RunnerEvent::CallUpdate {
                call_id: call_id.to_owned(),
                partial: json!({"output": item.output.text()}),
            });
        }
    }

    fn completed(&mut self, item: &Value, out: &mut Exchange) {
        let open = self.open.remove(text(item, "id"));
        let has_deltas = open.is_some_and(|open| open.has_deltas);
        match text(item, "type") {
            "agentMessage" => {
                if !has_deltas {
                    let delta = owned(item, "text");
                    out.event(RunnerEvent::Text { delta });
                }
                out.event(RunnerEvent::PartEnd);
            }
            "reasoning" => {
                if !has_deltas {
                    let delta = texts(&item["summary"]);
                    out.event(RunnerEvent::Thinking { delta });
                }
                out.event(RunnerEvent::PartEnd);
            }
            "contextCompaction" => out.notice("codex compacted its context"),
            _ if is_call(item) => out.event(RunnerEvent::CallEnd(call_end(item))),
            _ => {}
        }
    }
}

fn is_call(item: &Value) -> bool {
    !matches!(
        text(item, "type"),
        "userMessage"
            | "hookPrompt"
            | "agentMessage"
            | "functionCallOutput"
            | "plan"
            | "reasoning"
            | "enteredReviewMode"
            | "exitedReviewMode"
            | "contextCompaction"
    )
}

/// The call of an item, under the name that codex has for it.
fn call(item: &Value) -> ToolCall {
    let kind = text(item, "type");
    let (name, input) = match kind {
        "commandExecution" => {
            let command = plain_command(&item["command"]);
            let input = json!({"command": command, "cwd": item["cwd"]});
            (kind.to_owned(), input)
        }
        "fileChange" => (kind.to_owned(), json!({"changes": item["changes"]})),
        "mcpToolCall" => {
            let name = format!("{}.{}", text(item, "server"), text(item, "tool"));
            (name, item["arguments"].clone())
        }
        "dynamicToolCall" => (owned(item, "tool"), item["arguments"].clone()),
        _ => (kind.to_owned(), described(item)),
    };
    let input = if input.is_object() { input } else { json!({}) };
    ToolCall {
        id: owned(item, "id"),
        name,
        input,
        invalid_input: None,
    }
}

/// What an item says of itself, without its frame.
fn described(item: &Value) -> Value {
    let mut fields = item.as_object().cloned().unwrap_or_default();
    for frame in ["id", "type", "status", "startedAtMs", "completedAtMs"] {
        fields.remove(frame);
    }
    fields.retain(|_, value| !value.is_null());
    Value::Object(fields)
}

fn call_end(item: &Value) -> RunnerCallEnd {
    let status = text(item, "status");
    let content = match text(item, "type") {
        "commandExecution" => command_result(item),
        "mcpToolCall" => match item["error"]["message"].as_str() {
            Some(error) => error.to_owned(),
            None => texts(&item["result"]["content"]),
        },
        _ => status.to_owned(),
    };
    RunnerCallEnd {
        call_id: owned(item, "id"),
        is_error: matches!(status, "failed" | "declined"),
        content: text_block(content),
        details: None,
    }
}

fn command_result(item: &Value) -> String {
    let output = text(item, "aggregatedOutput");
    match (text(item, "status"), item["exitCode"].as_i64()) {
        ("declined", _) => "declined".to_owned(),
        (_, None | Some(0)) => output.to_owned(),
        (_, Some(code)) => format!("{output}\nexit code {code}"),
    }
}

/// The texts of a list, whose entries are texts or have one.
fn texts(list: &Value) -> String {
    let texts = elements(list).iter();
    let texts = texts.filter_map(|entry| entry.as_str().or_else(|| entry["text"].as_str()));
    texts.collect::<Vec<_>>().join("\n")
}

fn paths(changes: &Value) -> Vec<PathBuf> {
    let moved = |change: &Value| change["kind"]["move_path"].as_str().map(PathBuf::from);
    let named = |change: &Value| change["path"].as_str().map(PathBuf::from);
    let changes = elements(changes).iter();
    let both = changes.flat_map(|change| [named(change), moved(change)]);
    both.flatten().collect()
}
