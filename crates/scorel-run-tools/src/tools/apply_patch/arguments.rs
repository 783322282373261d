use schemars::JsonSchema;
use scorel_tools::{ErrorCode, ToolError};
use scorel_workflow::StateUpdate;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::operation::Operation;
use crate::limits::MAX_OPERATIONS;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PatchArguments {
    /// The file: `@state/workflow.md` for the state of the run, `@project/...`, or relative to the project.
    pub(super) path: String,
    /// The changes, in order. One change alone may stand beside `path` instead.
    operations: Option<Vec<PatchOperation>>,
    /// The kind of the one change: `updateFrontmatter`, `replaceText` or `appendText`.
    operation: Option<OperationKind>,
    /// See `operations`.
    update: Option<Map<String, Value>>,
    /// See `operations`.
    old: Option<String>,
    /// See `operations`.
    new: Option<String>,
    /// See `operations`.
    text: Option<String>,
    /// The `sha256` of the content that is changed.
    if_match_sha256: Option<String>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PatchOperation {
    /// The kind of the change.
    operation: OperationKind,
    /// For `updateFrontmatter`: the fields to change.
    update: Option<Map<String, Value>>,
    /// For `replaceText`: the text to replace.
    old: Option<String>,
    /// For `replaceText`: what takes its place.
    new: Option<String>,
    /// For `appendText`: what is added at the end.
    text: Option<String>,
    /// The `sha256` of the content that is changed.
    if_match_sha256: Option<String>,
}

// Plain comments: doc comments would turn the schema's `enum` into a list of constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum OperationKind {
    // Values of the run's document.
    UpdateFrontmatter,
    // A text that is there once.
    ReplaceText,
    // A text at the end.
    AppendText,
}

impl PatchArguments {
    /// The operations, and the hash that the call names.
    pub(super) fn operations(self) -> Result<(Vec<Operation>, Option<String>), ToolError> {
        let PatchArguments {
            operations,
            operation,
            update,
            old,
            new,
            text,
            if_match_sha256,
            ..
        } = self;
        let single = operation.map(|operation| PatchOperation {
            operation,
            update,
            old,
            new,
            text,
            if_match_sha256: None,
        });
        let written = match (operations, single) {
            (Some(operations), None) => operations,
            (None, Some(operation)) => vec![operation],
            _ => return Err(invalid("give either `operations` or `operation`")),
        };
        if written.is_empty() || written.len() > MAX_OPERATIONS {
            let reason = format!("`operations` has 1 to {MAX_OPERATIONS} entries");
            return Err(invalid(&reason));
        }
        let hashes = written.iter().filter_map(|it| it.if_match_sha256.clone());
        let mut hashes: Vec<String> = if_match_sha256.into_iter().chain(hashes).collect();
        hashes.dedup();
        if hashes.len() > 1 {
            return Err(invalid(
                "all operations are of one content: one `ifMatchSha256`",
            ));
        }
        let operations = written.into_iter().map(operation_of);
        Ok((operations.collect::<Result<_, _>>()?, hashes.pop()))
    }
}

fn operation_of(written: PatchOperation) -> Result<Operation, ToolError> {
    let PatchOperation {
        operation,
        update,
        old,
        new,
        text,
        ..
    } = written;
    let needs = |field: &str| invalid(&format!("the operation needs `{field}`"));
    Ok(match operation {
        OperationKind::UpdateFrontmatter => {
            let update = Value::Object(update.ok_or_else(|| needs("update"))?);
            let update = StateUpdate::deserialize(update).map_err(|error| {
                let message = format!("/update: {error}");
                ToolError::new(ErrorCode::SchemaValidation, message).with("pointer", "/update")
            })?;
            Operation::UpdateFrontmatter(Box::new(update))
        }
        OperationKind::ReplaceText => Operation::ReplaceText {
            old: old
                .filter(|old| !old.is_empty())
                .ok_or_else(|| needs("old"))?,
            new: new.ok_or_else(|| needs("new"))?,
        },
        OperationKind::AppendText => Operation::AppendText(text.ok_or_else(|| needs("text"))?),
    })
}

fn invalid(message: &str) -> ToolError {
    ToolError::new(ErrorCode::InvalidArguments, message)
}
