//! Tool calls of an agent.

use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{
    ContentBlock, ToolCall as AgentCall, ToolCallContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolKind,
};
use scorel_engine::{RunnerAction, RunnerCallEnd, RunnerEvent, ToolCall};
use serde_json::{Value, json};

use super::super::json::text_block;
use crate::exchange::Exchange;

pub(super) fn started(call: &AgentCall, out: &mut Exchange) {
    let id = call.tool_call_id.to_string();
    let name = call.name.clone().unwrap_or_else(|| kind_name(call.kind));
    let input = call.raw_input.clone().filter(Value::is_object);
    out.event(RunnerEvent::Call(ToolCall {
        id: id.clone(),
        name,
        input: input.unwrap_or_else(|| json!({"title": call.title})),
        invalid_input: None,
    }));
    ended(id, call.status, &call.content, out);
}

pub(super) fn updated(update: &ToolCallUpdate, out: &mut Exchange) {
    let id = update.tool_call_id.to_string();
    let content = update.fields.content.as_deref().unwrap_or_default();
    match update.fields.status {
        Some(status @ (ToolCallStatus::Completed | ToolCallStatus::Failed)) => {
            ended(id, status, content, out);
        }
        _ if content.is_empty() => out.event(RunnerEvent::Progress),
        _ => out.event(RunnerEvent::CallUpdate {
            call_id: id,
            partial: json!({"output": content_text(content)}),
        }),
    }
}

fn ended(id: String, status: ToolCallStatus, content: &[ToolCallContent], out: &mut Exchange) {
    let is_error = match status {
        ToolCallStatus::Completed => false,
        ToolCallStatus::Failed => true,
        _ => return,
    };
    out.event(RunnerEvent::CallEnd(RunnerCallEnd {
        call_id: id,
        is_error,
        content: text_block(content_text(content)),
        details: None,
    }));
}

/// The call that a question is about, and what it would do.
pub(super) fn asked(update: &ToolCallUpdate, directory: &Path) -> (ToolCall, RunnerAction) {
    let fields = &update.fields;
    let kind = fields.kind.unwrap_or(ToolKind::Other);
    let title = fields.title.clone().unwrap_or_default();
    let name = fields.name.clone().unwrap_or_else(|| kind_name(kind));
    let input = fields.raw_input.clone().filter(Value::is_object);
    let action = action(update, kind, &name, directory);
    let call = ToolCall {
        id: update.tool_call_id.to_string(),
        name,
        input: input.unwrap_or_else(|| json!({"title": title})),
        invalid_input: None,
    };
    (call, action)
}

fn action(update: &ToolCallUpdate, kind: ToolKind, name: &str, directory: &Path) -> RunnerAction {
    let fields = &update.fields;
    let input = |field: &str| {
        let input = fields.raw_input.as_ref()?;
        input[field].as_str().map(str::to_owned)
    };
    let paths = paths(fields.locations.as_deref(), fields.content.as_deref());
    let known = match kind {
        ToolKind::Execute => {
            // A title is for people, and need not be what runs: without an input it is asked each time.
            input("command").map(|command| RunnerAction::Command {
                command,
                directory: directory.to_owned(),
            })
        }
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move if !paths.is_empty() => {
            Some(RunnerAction::Write { paths })
        }
        ToolKind::Read | ToolKind::Search if !paths.is_empty() => {
            Some(RunnerAction::Read { paths })
        }
        ToolKind::Fetch => input("url").map(|url| RunnerAction::Fetch { url }),
        _ => None,
    };
    let tool = name.to_owned();
    known.unwrap_or(match fields.kind {
        // Without a name of its own it could be any of the agent's tools. A kind that is left out is that of
        // the call, which may be a command.
        Some(ToolKind::Other) if fields.name.is_some() => RunnerAction::Other { tool },
        _ => RunnerAction::Untold { tool },
    })
}

fn paths(
    locations: Option<&[ToolCallLocation]>,
    content: Option<&[ToolCallContent]>,
) -> Vec<PathBuf> {
    let locations = locations.unwrap_or_default().iter();
    let mut paths: Vec<PathBuf> = locations.map(|location| location.path.clone()).collect();
    for part in content.unwrap_or_default() {
        if let ToolCallContent::Diff(diff) = part
            && !paths.contains(&diff.path)
        {
            paths.push(diff.path.clone());
        }
    }
    paths
}

fn content_text(content: &[ToolCallContent]) -> String {
    let text = |part: &ToolCallContent| match part {
        ToolCallContent::Content(content) => block_text(&content.content),
        ToolCallContent::Diff(diff) => format!("changed {}", diff.path.display()),
        _ => "[terminal]".to_owned(),
    };
    let parts: Vec<String> = content.iter().map(text).collect();
    parts.join("\n")
}

pub(super) fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[{}]", image.mime_type),
        ContentBlock::ResourceLink(link) => format!("[{}]", link.uri),
        _ => "[content]".to_owned(),
    }
}

/// The name of a kind in the protocol.
fn kind_name(kind: ToolKind) -> String {
    let name = serde_json::to_value(kind).unwrap_or_default();
    name.as_str().unwrap_or("other").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action_of(question: Value) -> RunnerAction {
        let update: ToolCallUpdate = serde_json::from_value(question).unwrap();
        asked(&update, Path::new("/p")).1
    }

    #[test]
    fn a_tool_is_told_by_its_name_and_a_kind_that_is_none_of_the_known() {
        let question = json!({"toolCallId": "c", "name": "shell", "kind": "other"});
        let tool = "shell".to_owned();
        assert_eq!(action_of(question), RunnerAction::Other { tool });
        for (tool, question) in [
            (
                "shell",
                json!({"toolCallId": "c", "name": "shell", "title": "rm"}),
            ),
            (
                "shell",
                json!({"toolCallId": "c", "name": "shell", "kind": "execute"}),
            ),
            (
                "other",
                json!({"toolCallId": "c", "title": "rm", "kind": "other"}),
            ),
        ] {
            let tool = tool.to_owned();
            assert_eq!(action_of(question), RunnerAction::Untold { tool });
        }
    }
}
