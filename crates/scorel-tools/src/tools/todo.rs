//! `Todo`: the model's task list.
//!
//! Every call carries the whole list and its result repeats it, so the session's log is the storage: the
//! last result on the active path has the current list.

use std::collections::HashSet;

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolOutcome, ToolSpec, parse_arguments};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ToolError;
use crate::file_plan::FilePlan;
use crate::session_files::SessionFiles;

const MAX_ITEMS: usize = 200;
const MAX_CONTENT_BYTES: usize = 1_000;

const DESCRIPTION: &str = "\
Keeps your task list, which the user sees. Pass the whole list with each call; it replaces the previous \
one, and an empty list removes it. Use it for work of several steps: write the steps down first, mark a \
step as in_progress before you start it, and as completed as soon as it is done. At most one item may be \
in_progress.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TodoArguments {
    /// The whole list, in the order of work.
    items: Vec<TodoItem>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TodoItem {
    /// The task, in one line.
    content: String,
    /// The task's progress.
    status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

/// The `details` of a success.
#[derive(Debug, Serialize)]
struct TodoFigures {
    items: Vec<TodoItem>,
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of::<TodoArguments>("Todo", DESCRIPTION, ToolClass::Inspect).read_only()
}

pub(crate) fn plan(_: &SessionFiles, input: Value) -> Result<FilePlan, ToolError> {
    let TodoArguments { items } = parse_arguments(input)?;
    check(&items)?;
    Ok(FilePlan::look(Vec::new(), |_| {
        let text = summary(&items);
        Ok(ToolOutcome::success(text, &TodoFigures { items }))
    }))
}

fn check(items: &[TodoItem]) -> Result<(), ToolError> {
    if items.len() > MAX_ITEMS {
        return Err(ToolError::invalid(format!(
            "`items` has {} entries; at most {MAX_ITEMS} are possible",
            items.len()
        )));
    }
    let mut known = HashSet::new();
    for (number, item) in (1..).zip(items) {
        let content = item.content.trim();
        let wrong = if content.is_empty() {
            "is empty".to_owned()
        } else if content.len() > MAX_CONTENT_BYTES {
            format!(
                "has {} bytes; at most {MAX_CONTENT_BYTES} are possible",
                content.len()
            )
        } else if content.contains(char::is_control) {
            "is more than one line".to_owned()
        } else if !known.insert(content) {
            "is in the list before".to_owned()
        } else {
            continue;
        };
        return Err(ToolError::invalid(format!("item {number} {wrong}")));
    }
    match count(items, Status::InProgress) {
        0 | 1 => Ok(()),
        count => Err(ToolError::invalid(format!(
            "{count} items are in_progress; at most one can be"
        ))),
    }
}

fn summary(items: &[TodoItem]) -> String {
    if items.is_empty() {
        return "The list is empty now.\n".to_owned();
    }
    format!(
        "The list is kept: {} completed, {} in progress, {} pending.\n",
        count(items, Status::Completed),
        count(items, Status::InProgress),
        count(items, Status::Pending)
    )
}

fn count(items: &[TodoItem], status: Status) -> usize {
    items.iter().filter(|item| item.status == status).count()
}
