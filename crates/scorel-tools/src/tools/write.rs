//! `Write`: creates or replaces a file.

use std::borrow::Cow;

use schemars::JsonSchema;
use scorel_engine::{Planned, ToolClass, ToolSpec, parse_arguments};
use scorel_proto::FileBefore;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content_hash::ContentHash;
use crate::diff::Diff;
use crate::encoded::encoded;
use crate::error::{ErrorCode, ToolError};
use crate::file_tool::FileTool;
use crate::limits::MAX_FILE_BYTES;
use crate::roots::{Location, Original};
use crate::running_call::RunningCall;
use crate::seen_files::{Coverage, Unseen};
use crate::session_files::{PlannedWrite, SessionFiles};
use crate::text_encoding::TextEncoding;
use crate::tool_output::ToolOutput;

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

/// The `details` of a success.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WriteFigures {
    path: String,
    bytes: u64,
    /// Unless it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256_before: Option<String>,
    created: bool,
    #[serde(flatten)]
    diff: Diff,
    /// Remarks in the text for the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct WriteTool;

impl FileTool for WriteTool {
    type Plan = (WriteArguments, Result<PlannedWrite, ToolError>);

    const RECORDS: bool = true;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<WriteArguments>("Write", DESCRIPTION, ToolClass::Edit)
    }

    fn plan(&self, files: &SessionFiles, input: Value) -> Result<Planned<Self::Plan>, ToolError> {
        let arguments: WriteArguments = parse_arguments(input)?;
        let (effect, write) = files.writing(&arguments.path);
        let (effects, plan) = (vec![effect], (arguments, write));
        Ok(Planned { effects, plan })
    }

    fn begin(
        &self,
        files: &SessionFiles,
        plan: &mut Self::Plan,
    ) -> Result<Vec<FileBefore>, ToolError> {
        files.begin_write(&mut plan.1)
    }

    fn run(&self, call: &RunningCall, plan: Self::Plan) -> Result<ToolOutput, ToolError> {
        let (arguments, write) = plan;
        let write = write?;
        let PlannedWrite {
            location, target, ..
        } = &write;
        let content = arguments.content.as_str();
        check_size(location, content)?;
        call.check_wanted(location)?;
        let (destination, original) = call
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
        let hash = ContentHash::of(&bytes);
        let whole = Coverage::from(0..content.len() as u64);
        call.files.seen.add(location, hash, whole);
        let figures = WriteFigures {
            path: location.named(),
            bytes: bytes.len() as u64,
            encoding: encoding.name(),
            sha256: hash.to_string(),
            sha256_before: original.as_ref().map(|it| it.hash().to_string()),
            created: original.is_none(),
            diff: Diff::between(&location.relative(), &before, &content),
            notes,
        };
        let mut output = report(location, &figures);
        output.changed = call.files.written(write, &bytes);
        Ok(output)
    }
}

fn report(location: &Location, figures: &WriteFigures) -> ToolOutput {
    let bytes = figures.bytes;
    let mut text = if figures.created {
        format!("Created {location}: {bytes} bytes.\n")
    } else {
        let counts = figures.diff.counts();
        format!("Replaced {location}: {bytes} bytes, {counts}.\n")
    };
    for note in &figures.notes {
        text.push_str(note);
        text.push('\n');
    }
    ToolOutput::new(text, figures)
}

fn check_size(location: &Location, content: &str) -> Result<(), ToolError> {
    if content.len() as u64 <= MAX_FILE_BYTES {
        return Ok(());
    }
    let message = format!(
        "`content` for {location} has {} bytes; at most {MAX_FILE_BYTES} are possible",
        content.len()
    );
    Err(ToolError::new(ErrorCode::WriteLimit, message).with("path", location.named()))
}

/// The text to be replaced, if the model has seen all of it.
fn old_text<'a>(
    call: &RunningCall,
    location: &Location,
    original: &'a Original,
) -> Result<(TextEncoding, Cow<'a, str>), ToolError> {
    let (encoding, text) = original.text(location)?;
    let fail = |code, reason: &str| {
        Err(ToolError::new(code, format!("{location} {reason}")).with("path", location.named()))
    };
    match call.files.seen.coverage(location, original.hash()) {
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
