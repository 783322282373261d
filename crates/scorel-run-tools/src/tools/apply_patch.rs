//! `fs_apply_patch`: changes parts of a file, all of them or none.

mod arguments;
mod operation;
mod patched_text;

use scorel_engine::{ToolClass, ToolSpec, parse_arguments};
use scorel_tools::{ErrorCode, FilePlan, ToolError};
use serde::Serialize;
use serde_json::Value;

use self::arguments::PatchArguments;
use self::patched_text::PatchedText;
use super::changed::{check_size, expected_hash, report};
use crate::document::DOCUMENT_PATH;
use crate::run_files::{PlanRunFiles, RunFiles};

const DESCRIPTION: &str = "\
Changes a text file of the run, by one operation or several in order, all of them or none. `updateFrontmatter` changes \
the state of the run in `@state/workflow.md` and nothing else in it: `update` has any of `stepsCompleted {append}`, \
`variables {set}`, `decisionLog {append}`, `artifacts {append}`, `currentNodeId {set}`. To go on to the next node, append \
the current node to `stepsCompleted` and set `currentNodeId` in the same update. `replaceText` replaces `old`, which \
must be there exactly once, with `new`; `appendText` adds `text` at the end. The file must have been read as it is now, \
or `ifMatchSha256` names its content. Answers JSON: `sha256Before` and `sha256After`, or an error with what is allowed.";

#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PatchResult<'a> {
    ok: bool,
    path: &'a str,
    sha256_before: Option<&'a str>,
    sha256_after: &'a str,
}

pub(crate) fn tool() -> (ToolSpec, PlanRunFiles) {
    let spec = ToolSpec::of::<PatchArguments>("fs_apply_patch", DESCRIPTION, ToolClass::Edit);
    (spec, plan)
}

fn plan(run: &RunFiles, input: Value) -> Result<FilePlan, ToolError> {
    let arguments: PatchArguments = parse_arguments(input)?;
    let path = arguments.path.clone();
    let (operations, expected) = arguments.operations()?;
    let expected = expected_hash(expected.as_deref())?;
    let planned = run.files.plan_mounted_write(&path)?;
    let run = run.clone();
    Ok(FilePlan::write(planned, move |call, write| {
        let path = write.location().named();
        let replaced = call.replace(write, expected.as_ref(), |before| {
            let before = before.ok_or_else(|| missing(&path))?;
            let mut patched = PatchedText::new(before, path == DOCUMENT_PATH);
            for operation in &operations {
                patched.apply(operation)?;
            }
            check_size(&path, patched.text.len(), &run.policy)?;
            Ok(patched.text)
        })?;
        Ok(report(&run, replaced, |replaced, path| {
            let result = PatchResult {
                ok: true,
                path,
                sha256_before: replaced.sha256_before.as_ref().map(|it| it.as_str()),
                sha256_after: replaced.sha256_after.as_str(),
            };
            serde_json::to_string(&result).unwrap_or_default()
        }))
    }))
}

fn missing(path: &str) -> ToolError {
    let message = format!("{path} does not exist; see what is there with fs_list");
    ToolError::new(ErrorCode::NotFound, message).with("path", path)
}
