//! `fs_search`: lines of files by a regular expression.

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolOutcome, ToolSpec, parse_arguments};
use scorel_tools::{FilePlan, FoundLine, FoundLines, LineQuery, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::success;
use crate::limits::{MAX_CONTEXT, MAX_MATCHES};
use crate::run_files::{PlanRunFiles, RunFiles};

const DESCRIPTION: &str = "\
Searches text files of the run for lines with a match of a regular expression (Rust syntax: no look-around, no \
backreferences). Answers JSON: `matches` with `path`, `line`, `column` and `text`, sorted by path, at most 100. What \
the project's ignore files exclude is left out unless `path` names it. Read around a match with fs_read, `startLine` \
and `lines`.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SearchArguments {
    /// The regular expression.
    pattern: String,
    /// The file, or the directory below which files are searched: `@project/...`, `@pkg/...`, `@state/...`. Default:
    /// `@project`.
    path: Option<String>,
    /// Search only files that match this glob, such as `*.md` or `stories/**/*.md`.
    glob: Option<String>,
    /// True to ignore case. Default false.
    ignore_case: Option<bool>,
    /// The number of lines to show before and after each match, at most 3. Default 0.
    context: Option<u8>,
    /// The maximum number of matches, at most 100. Default 100.
    limit: Option<usize>,
}

#[derive(Debug, Serialize)]
struct SearchResult<'a> {
    ok: bool,
    matches: Vec<ShownMatch<'a>>,
    truncated: bool,
    stats: SearchStats,
}

#[derive(Debug, Serialize)]
struct ShownMatch<'a> {
    path: &'a str,
    line: u64,
    column: u64,
    text: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    before: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    after: &'a [String],
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct SearchStats {
    files_scanned: u64,
    matches_found: u64,
}

/// The `details` of a success.
#[derive(Debug, Serialize)]
struct SearchFigures {
    truncated: bool,
    stats: SearchStats,
}

pub(crate) fn tool() -> (ToolSpec, PlanRunFiles) {
    let spec = ToolSpec::of::<SearchArguments>("fs_search", DESCRIPTION, ToolClass::Inspect);
    (spec.read_only(), plan)
}

fn plan(run: &RunFiles, input: Value) -> Result<FilePlan, ToolError> {
    let arguments: SearchArguments = parse_arguments(input)?;
    let path = arguments.path.as_deref().unwrap_or("@project");
    let (effect, base) = run.files.plan_mounted_read(path)?;
    let query = LineQuery {
        pattern: arguments.pattern,
        glob: arguments.glob,
        ignores_case: arguments.ignore_case.unwrap_or(false),
        context: arguments.context.unwrap_or(0).min(MAX_CONTEXT),
        limit: arguments.limit.unwrap_or(MAX_MATCHES).clamp(1, MAX_MATCHES),
    };
    Ok(FilePlan::look(vec![effect], move |call| {
        Ok(report(&call.find_lines(&base, &query)?))
    }))
}

fn report(found: &FoundLines) -> ToolOutcome {
    let stats = SearchStats {
        files_scanned: found.files,
        matches_found: found.total,
    };
    let result = SearchResult {
        ok: true,
        matches: found.lines.iter().map(shown).collect(),
        truncated: found.is_cut,
        stats,
    };
    let figures = SearchFigures {
        truncated: found.is_cut,
        stats,
    };
    success(&result, &figures)
}

fn shown(line: &FoundLine) -> ShownMatch<'_> {
    ShownMatch {
        path: &line.path,
        line: line.line,
        column: line.column,
        text: &line.text,
        before: &line.before,
        after: &line.after,
    }
}
