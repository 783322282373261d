//! `Write`: creates or replaces a file.

use std::borrow::Cow;

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolOutcome, ToolSpec, parse_arguments};
use scorel_files::hash_of;
use serde::Deserialize;
use serde_json::Value;

use crate::changed_file::ChangedFile;
use crate::diff::Diff;
use crate::encoded::encoded;
use crate::error::{ErrorCode, ToolError};
use crate::file_plan::FilePlan;
use crate::limits::MAX_FILE_BYTES;
use crate::roots::{Location, Original};
use crate::running_call::RunningCall;
use crate::seen_files::{Coverage, Unseen};
use crate::session_files::{PlannedWrite, SessionFiles};
use scorel_fs::TextEncoding;

const DESCRIPTION: &str = "\
Creates a file of the project, or replaces an existing one completely. Creates missing directories. You \
must have read all of an existing file in its current state; to change a part of it, use Edit. The \
content is written exactly as given, so end it with a line feed.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteArguments {
    /// The file: relative to the project, `@project/...`, or absolute. The user may be asked about a file
    /// outside the project.
    path: String,
    /// The complete content of the file.
    content: String,
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of::<WriteArguments>("Write", DESCRIPTION, ToolClass::Edit)
}

pub(crate) fn plan(files: &SessionFiles, input: Value) -> Result<FilePlan, ToolError> {
    let WriteArguments { path, content } = parse_arguments(input)?;
    Ok(FilePlan::change(
        files.writing(&path),
        move |call, planned| write(call, planned, &content),
    ))
}

fn write(call: &RunningCall, write: PlannedWrite, content: &str) -> Result<ToolOutcome, ToolError> {
    let PlannedWrite {
        location, target, ..
    } = &write;
    check_size(location, content)?;
    call.check_wanted(location)?;
    let (mut destination, original) = call
        .roots
        .destination(location, call.write_access(target))?;
    write.check(original.as_ref())?;
    let (encoding, before) = match &original {
        Some(original) => old_text(call, location, original)?,
        None => (TextEncoding::Utf8, "".into()),
    };
    let content = encoding.marked(content);
    let bytes = encoded(&content, encoding, location)?;
    let mut notes = destination.put(&bytes, original.as_ref())?;
    notes.extend(line_end_note(&before, &content));
    let hash = hash_of(&bytes);
    let whole = Coverage::from(0..content.len() as u64);
    call.files.seen.add(location, hash.clone(), whole);
    let diff = Diff::between(&location.relative(), &before, &content);
    let length = bytes.len();
    let sentence = match &original {
        Some(_) => format!("Replaced {location}: {length} bytes, {}.", diff.counts()),
        None => format!("Created {location}: {length} bytes."),
    };
    let written = (encoding, hash, length);
    let mut changed = ChangedFile::new(location, original.as_ref(), written, diff, notes);
    changed.created = Some(original.is_none());
    let mut outcome = changed.outcome(&sentence);
    outcome.recorded.files = call.files.written(write, &bytes);
    Ok(outcome)
}

fn check_size(location: &Location, content: &str) -> Result<(), ToolError> {
    if content.len() as u64 <= MAX_FILE_BYTES {
        return Ok(());
    }
    let message = format!(
        "`content` for {location} has {} bytes; at most {MAX_FILE_BYTES} are possible",
        content.len()
    );
    Err(location.error(ErrorCode::WriteLimit, message))
}

/// The text to be replaced, if the model has seen all of it.
fn old_text<'a>(
    call: &RunningCall,
    location: &Location,
    original: &'a Original,
) -> Result<(TextEncoding, Cow<'a, str>), ToolError> {
    let (encoding, text) = original.text(location)?;
    let fail = |code, reason: &str| Err(location.refused(code, reason));
    match call.files.seen.coverage(location, &original.hash) {
        // An empty file has nothing to lose.
        _ if text.is_empty() => Ok((encoding, text)),
        Ok(coverage) if coverage.covers(&(0..text.len() as u64)) => Ok((encoding, text)),
        Ok(_) => fail(
            ErrorCode::NotRead,
            "was read in part only; Read the rest before replacing it, or change a part with Edit",
        ),
        Err(Unseen::Never) => fail(
            ErrorCode::NotRead,
            "exists and was not read; Read it before replacing it",
        ),
        Err(Unseen::Changed) => fail(
            ErrorCode::Stale,
            "has changed since it was read; Read it again before replacing it",
        ),
    }
}

/// A note if a replacement changed line endings or the byte order mark, which `Read` does not show.
fn line_end_note(before: &str, content: &str) -> Option<String> {
    let lost_crlf = before.contains("\r\n") && !content.contains("\r\n") && content.contains('\n');
    let lost_mark = before.starts_with('\u{feff}') && !content.starts_with('\u{feff}');
    let lost = match (lost_crlf, lost_mark) {
        (false, false) => return None,
        (true, false) => "CR LF at the ends of its lines",
        (false, true) => "a byte order mark",
        (true, true) => "a byte order mark, and CR LF at the ends of its lines",
    };
    Some(format!(
        "Before, the file had {lost}; Edit keeps such things."
    ))
}
