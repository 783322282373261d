//! `fs_write`: creates or replaces a file.

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolSpec, parse_arguments};
use scorel_tools::{FilePlan, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::changed::{check_size, expected_hash, report};
use crate::run_files::{PlanRunFiles, RunFiles};

const DESCRIPTION: &str = "\
Creates a text file of the run, or replaces all of it: `@project/...` or `@state/...`; missing directories are made. An \
existing file must have been read as it is now, or `ifMatchSha256` names its content. Answers JSON: `bytesWritten` \
and `sha256After`. At most 1 MiB.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WriteArguments {
    /// The file: `@project/...`, `@state/...`, or relative to the project.
    path: String,
    /// The complete content.
    content: String,
    /// The `sha256` of the content that is replaced.
    if_match_sha256: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WriteResult<'a> {
    ok: bool,
    path: &'a str,
    bytes_written: usize,
    sha256_after: &'a str,
}

pub(crate) fn tool() -> (ToolSpec, PlanRunFiles) {
    let spec = ToolSpec::of::<WriteArguments>("fs_write", DESCRIPTION, ToolClass::Edit);
    (spec, plan)
}

fn plan(run: &RunFiles, input: Value) -> Result<FilePlan, ToolError> {
    let WriteArguments {
        path,
        content,
        if_match_sha256,
    } = parse_arguments(input)?;
    let expected = expected_hash(if_match_sha256.as_deref())?;
    let planned = run.files.plan_mounted_write(&path)?;
    let run = run.clone();
    Ok(FilePlan::write(planned, move |call, write| {
        check_size(&write.location().named(), content.len(), &run.policy)?;
        let replaced = call.replace(write, expected.as_ref(), |_| Ok(content))?;
        Ok(report(&run, replaced, |replaced, path| {
            let result = WriteResult {
                ok: true,
                path,
                bytes_written: replaced.content.len(),
                sha256_after: replaced.sha256_after.as_str(),
            };
            serde_json::to_string(&result).unwrap_or_default()
        }))
    }))
}
