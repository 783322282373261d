//! `fs_read`: a file, or a window of its lines.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolOutcome, ToolSpec, parse_arguments};
use scorel_tools::{ErrorCode, FilePlan, Location, RunningCall, ToolError, WholeFile};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::success;
use crate::document::{DOCUMENT_PATH, parsed};
use crate::limits::{MAX_SHOWN_BYTES, PREVIEW_BYTES};
use crate::run_files::{PlanRunFiles, RunFiles};
use crate::run_policy::RunPolicy;

const DESCRIPTION: &str = "\
Reads a text file of the run: `@project/...`, `@pkg/...` (the workflow package) or `@state/...` (the run's state). \
Answers JSON: `content`, `bytes` and `sha256` of the whole file. Of a file with more than 32 KiB it answers \
`contentPreview`, the first 4 KiB: find the place with fs_search and read a window of lines with `startLine` and \
`lines`.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ReadArguments {
    /// The file: `@project/...`, `@pkg/...`, `@state/...`, or relative to the project.
    path: String,
    /// The first line of a window, from 1.
    start_line: Option<NonZeroUsize>,
    /// The number of lines of a window. Default: to the end of the file.
    lines: Option<NonZeroUsize>,
}

#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadResult<'a> {
    ok: bool,
    path: &'a str,
    bytes: u64,
    sha256: &'a str,
    truncated: bool,
    content: Option<&'a str>,
    content_preview: Option<&'a str>,
    hint: Option<String>,
    #[serde(flatten)]
    window: Option<ShownWindow>,
}

/// The lines of a window.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownWindow {
    start_line: usize,
    lines: usize,
    total_lines: usize,
}

/// The part of a text that is shown.
#[derive(Debug)]
struct ShownPart {
    range: std::ops::Range<usize>,
    window: Option<ShownWindow>,
    /// Says how the rest is read, if there is a rest.
    hint: Option<String>,
}

pub(crate) fn tool() -> (ToolSpec, PlanRunFiles) {
    let spec = ToolSpec::of::<ReadArguments>("fs_read", DESCRIPTION, ToolClass::Inspect);
    (spec.read_only(), plan)
}

fn plan(run: &RunFiles, input: Value) -> Result<FilePlan, ToolError> {
    let arguments: ReadArguments = parse_arguments(input)?;
    let (effect, location) = run.files.plan_mounted_read(&arguments.path)?;
    let policy = std::sync::Arc::clone(&run.policy);
    Ok(FilePlan::look(vec![effect], move |call| {
        read(call, &location, &arguments, &policy)
    }))
}

fn read(
    call: &RunningCall,
    location: &Location,
    arguments: &ReadArguments,
    policy: &RunPolicy,
) -> Result<ToolOutcome, ToolError> {
    let file = call.read_whole(location)?;
    let path = location.named();
    let max = policy.max_read_bytes();
    let is_window = arguments.start_line.is_some() || arguments.lines.is_some();
    if !is_window && file.bytes > max {
        return Err(too_large(&file, &path, max));
    }
    if path == DOCUMENT_PATH
        && let Ok(document) = parsed(&file.text)
    {
        policy.follow(&document);
    }
    let most = usize::try_from(max).map_or(MAX_SHOWN_BYTES, |max| max.min(MAX_SHOWN_BYTES));
    let shown = match is_window {
        true => window(&file.text, arguments, most),
        false => whole(&file.text),
    };
    let text = &file.text[shown.range.clone()];
    call.shows(&file, shown.range.clone());
    let is_cut = shown.hint.is_some();
    let mut result = ReadResult {
        ok: true,
        path: &path,
        bytes: file.bytes,
        sha256: file.sha256.as_str(),
        truncated: is_cut,
        content: Some(text).filter(|_| !is_cut),
        content_preview: Some(text).filter(|_| is_cut),
        hint: shown.hint,
        window: shown.window,
    };
    let mut outcome = success(&result, &Value::Null);
    // The text has it already.
    (result.content, result.content_preview) = (None, None);
    outcome.details = serde_json::to_value(&result).ok();
    Ok(outcome)
}

fn too_large(file: &WholeFile, path: &str, max: u64) -> ToolError {
    let bytes = file.bytes;
    let message = format!(
        "{path} has {bytes} bytes, and at most {max} are read as a whole; find the place with fs_search and read a \
         window with `startLine` and `lines`"
    );
    ToolError::new(ErrorCode::ReadLimit, message)
        .with("path", path)
        .with("bytes", bytes)
        .with("maxReadBytes", max)
}

fn whole(text: &str) -> ShownPart {
    let is_short = text.len() <= MAX_SHOWN_BYTES;
    ShownPart {
        range: match is_short {
            true => 0..text.len(),
            false => 0..char_boundary(text, PREVIEW_BYTES),
        },
        window: None,
        hint: (!is_short).then(|| {
            let lines = text.lines().count();
            format!(
                "the first 4 KiB of {lines} lines; find the place with fs_search and read a window with `startLine` \
                 and `lines`"
            )
        }),
    }
}

fn window(text: &str, arguments: &ReadArguments, most: usize) -> ShownPart {
    let first = arguments.start_line.map_or(1, NonZeroUsize::get);
    let wanted = arguments.lines.map_or(usize::MAX, NonZeroUsize::get);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let skipped = lines.len().min(first - 1);
    let start = lines[..skipped].iter().map(|line| line.len()).sum();
    let (mut end, mut count) = (start, 0);
    for line in lines[skipped..].iter().take(wanted) {
        if end + line.len() - start > most {
            break;
        }
        end += line.len();
        count += 1;
    }
    let is_cut = count < wanted.min(lines.len() - skipped);
    if is_cut && count == 0 {
        // A line that is longer than all that is shown at once.
        end = char_boundary(text, start + most);
    }
    let next = first + count;
    ShownPart {
        range: start..end,
        window: Some(ShownWindow {
            start_line: first,
            lines: count,
            total_lines: lines.len(),
        }),
        hint: is_cut.then(|| match count {
            0 => format!("line {first} is longer than what is shown at once"),
            _ => format!("more follows: go on with `startLine` {next}"),
        }),
    }
}

/// The last place at or before `at` that is between two characters.
fn char_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    let places = (0..=at).rev();
    places
        .take(4)
        .find(|it| text.is_char_boundary(*it))
        .unwrap_or(0)
}
