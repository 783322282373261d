use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{
    Content, Diff, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use scorel_peer::beginning;
use scorel_proto::{Block, PermissionRequestBody, ToolResultBlock};
use serde_json::Value;

use crate::visible::one_line;

/// Of a result that is shown, in bytes.
const MAX_RESULT: usize = 64 * 1024;

/// A call as the model made it.
pub(super) fn called(id: &str, name: &str, input: &Value, work_dir: &Path) -> ToolCall {
    ToolCall::new(id.to_owned(), title(name, input))
        .name(one_line(name))
        .kind(kind(name))
        .status(ToolCallStatus::Pending)
        .content(diffs(name, input, work_dir))
        .locations(locations(input, work_dir))
        .raw_input(input.clone())
}

/// The start of a call, with the input that it runs with where that is known.
pub(super) fn started(id: &str, input: Option<&Value>) -> ToolCallUpdate {
    let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
    ToolCallUpdate::new(id.to_owned(), fields.raw_input(input.cloned()))
}

/// The end of a call. What it changed stays shown: a result adds to the diffs.
pub(super) fn ended(result: &ToolResultBlock, shown: Vec<ToolCallContent>) -> ToolCallUpdate {
    let status = match result.is_error {
        true => ToolCallStatus::Failed,
        false => ToolCallStatus::Completed,
    };
    let text = beginning(&Block::plain_text_of(&result.content), MAX_RESULT);
    let mut content = shown;
    content.push(ToolCallContent::Content(Content::new(text)));
    let fields = ToolCallUpdateFields::new().status(status).content(content);
    ToolCallUpdate::new(result.tool_use_id.clone(), fields)
}

/// The call that a question is about, with its diff and the reason for the question.
pub(super) fn asked(question: &PermissionRequestBody, work_dir: &Path) -> ToolCallUpdate {
    let (name, input) = (&question.tool_name, &question.input);
    let mut content = diffs(name, input, work_dir);
    let reasons = [Some(&question.reason), question.hook_reason.as_ref()];
    let reasons = reasons
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty());
    content.extend(reasons.map(|text| ToolCallContent::Content(Content::new(one_line(text)))));
    let fields = ToolCallUpdateFields::new()
        .title(title(name, input))
        .name(one_line(name))
        .kind(kind(name))
        .status(ToolCallStatus::Pending)
        .content(content)
        .locations(locations(input, work_dir))
        .raw_input(input.clone());
    ToolCallUpdate::new(question.tool_call_id.clone(), fields)
}

/// The changes that Edit and Write make.
pub(super) fn diffs(name: &str, input: &Value, work_dir: &Path) -> Vec<ToolCallContent> {
    let Some(path) = path(input, work_dir) else {
        return Vec::new();
    };
    match name {
        "Write" => {
            let content = input["content"].as_str();
            let diff = content.map(|content| Diff::new(path, content).into());
            diff.into_iter().collect()
        }
        "Edit" => {
            let edits = input["edits"].as_array().map(Vec::as_slice);
            let edits = edits.unwrap_or_default().iter();
            edits
                .filter_map(|edit| edit["oldString"].as_str().zip(edit["newString"].as_str()))
                .map(|(old, new)| Diff::new(&path, new).old_text(old.to_owned()).into())
                .collect()
        }
        _ => Vec::new(),
    }
}

fn title(name: &str, input: &Value) -> String {
    let subject = ["command", "path", "pattern", "url", "description", "prompt"];
    let subject = subject.iter().find_map(|member| input[*member].as_str());
    match subject {
        Some(subject) => one_line(&format!("{name}: {subject}")),
        None => one_line(name),
    }
}

fn kind(name: &str) -> ToolKind {
    match name {
        "Read" => ToolKind::Read,
        "Edit" | "Write" => ToolKind::Edit,
        "Glob" | "Grep" => ToolKind::Search,
        "Bash" | "BashOutput" | "BashStop" => ToolKind::Execute,
        "WebFetch" => ToolKind::Fetch,
        "Todo" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

fn locations(input: &Value, work_dir: &Path) -> Vec<ToolCallLocation> {
    let path = path(input, work_dir).map(ToolCallLocation::new);
    path.into_iter().collect()
}

fn path(input: &Value, work_dir: &Path) -> Option<PathBuf> {
    input["path"].as_str().map(|path| work_dir.join(path))
}
