//! `fs_list`: the names in a directory.

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolOutcome, ToolSpec, parse_arguments};
use scorel_tools::{FilePlan, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::success;
use crate::limits::MAX_ENTRIES;
use crate::run_files::{PlanRunFiles, RunFiles};

const DESCRIPTION: &str = "\
Lists the names in a directory of the run: `@project/...`, `@pkg/...` or `@state/...`. Answers JSON: `entries`, sorted, \
those of directories with `/` at the end. Of more than 500 it answers `entriesPreview`, the first 500.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    /// The directory: `@project/...`, `@pkg/...`, `@state/...`, or relative to the project.
    path: String,
}

#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ListResult<'a> {
    ok: bool,
    path: &'a str,
    entries: Option<&'a [String]>,
    entries_preview: Option<&'a [String]>,
    truncated: bool,
    hint: Option<String>,
}

pub(crate) fn tool() -> (ToolSpec, PlanRunFiles) {
    let spec = ToolSpec::of::<ListArguments>("fs_list", DESCRIPTION, ToolClass::Inspect);
    (spec.read_only(), plan)
}

fn plan(run: &RunFiles, input: Value) -> Result<FilePlan, ToolError> {
    let ListArguments { path } = parse_arguments(input)?;
    let (effect, location) = run.files.plan_mounted_read(&path)?;
    Ok(FilePlan::look(vec![effect], move |call| {
        Ok(report(&location.named(), &call.list(&location)?))
    }))
}

fn report(path: &str, names: &[String]) -> ToolOutcome {
    let is_cut = names.len() > MAX_ENTRIES;
    let result = ListResult {
        ok: true,
        path,
        entries: Some(names).filter(|_| !is_cut),
        entries_preview: is_cut.then(|| &names[..MAX_ENTRIES]),
        truncated: is_cut,
        hint: is_cut.then(|| {
            let count = names.len();
            format!("the first {MAX_ENTRIES} of {count}; list a directory below, or find files with fs_search")
        }),
    };
    let figures = json!({ "path": path, "count": names.len(), "truncated": is_cut });
    success(&result, &figures)
}
