//! `Edit`: replaces parts of a file.

mod draft;
mod line_ends;
mod replacement;

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
use crate::roots::{Location, Original};
use crate::running_call::RunningCall;
use crate::seen_files::{Coverage, Unseen};
use crate::session_files::{PlannedWrite, SessionFiles};

use draft::EditDraft;
use replacement::Replacement;

const MAX_EDITS: usize = 500;

const DESCRIPTION: &str = "\
Replaces text in a file of the project. Each edit replaces `oldString`, which must occur in the file \
exactly once, with `newString`; with `replaceAll` it replaces every occurrence. Text is matched \
literally, including white space. Edits are applied in order, each to the result of the one before, and \
either all of them or none. You must have read the lines in their current state: copy `oldString` from \
the output of Read, without the line numbers, with enough context to be unique. A line feed in \
`oldString` and `newString` matches the file's line ending there.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditArguments {
    /// The file: relative to the project, `@project/...`, or absolute. The user may be asked about a file
    /// outside the project.
    path: String,
    /// The replacements, applied in order. 1 to 500.
    edits: Vec<Replacement>,
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of::<EditArguments>("Edit", DESCRIPTION, ToolClass::Edit)
}

pub(crate) fn plan(files: &SessionFiles, input: Value) -> Result<FilePlan, ToolError> {
    let EditArguments { path, edits } = parse_arguments(input)?;
    check_count(&edits)?;
    Ok(FilePlan::change(
        files.writing(&path),
        move |call, write| edit(call, write, &edits),
    ))
}

fn edit(
    call: &RunningCall,
    write: PlannedWrite,
    edits: &[Replacement],
) -> Result<ToolOutcome, ToolError> {
    let PlannedWrite {
        location, target, ..
    } = &write;
    call.check_wanted(location)?;
    let (mut destination, original) = call.roots.existing(location, call.write_access(target))?;
    write.check(Some(&original))?;
    let (encoding, text) = original.text(location)?;
    let draft = draft(call, location, (&original, &text), edits)?;
    let content = encoded(&draft.text, encoding, location)?;
    let notes = destination.put(&content, Some(&original))?;
    let hash = hash_of(&content);
    call.files
        .seen
        .add(location, hash.clone(), draft.seen.clone());
    let diff = Diff::between(&location.relative(), &text, &draft.text);
    let replaced = match draft.replacements {
        1 => "1 text replaced".to_owned(),
        count => format!("{count} texts replaced"),
    };
    let sentence = format!("Changed {location}: {replaced}, {}.", diff.counts());
    let written = (encoding, hash, content.len());
    let mut changed = ChangedFile::new(location, Some(&original), written, diff, notes);
    changed.replacements = Some(draft.replacements);
    let mut outcome = changed.outcome(&sentence);
    outcome.recorded.files = call.files.written(write, &content);
    Ok(outcome)
}

fn check_count(edits: &[Replacement]) -> Result<(), ToolError> {
    match edits.len() {
        0 => Err(ToolError::invalid("`edits` is empty; nothing would change")),
        1..=MAX_EDITS => Ok(()),
        count => Err(ToolError::invalid(format!(
            "`edits` has {count} entries; at most {MAX_EDITS} are possible"
        ))),
    }
}

fn draft(
    call: &RunningCall,
    location: &Location,
    (original, text): (&Original, &str),
    edits: &[Replacement],
) -> Result<EditDraft, ToolError> {
    let mut draft = EditDraft {
        text: text.to_owned(),
        seen: seen(call, location, original)?,
        replacements: 0,
    };
    for (number, edit) in (1..).zip(edits) {
        call.check_wanted(location)?;
        draft.apply(edit).map_err(|error| {
            let which = (edits.len() > 1).then(|| format!("edit {number} of {}: ", edits.len()));
            let which = which.unwrap_or_default();
            location
                .error(error.code(), format!("{which}{}", error.text(location)))
                .with("edit", number)
                .with("lines", error.lines())
        })?;
    }
    if draft.text == text {
        let reason = "would stay as it is: the edits undo each other, or differ in line ends only, \
                      which are kept";
        return Err(location.refused(ErrorCode::InvalidArguments, reason));
    }
    Ok(draft)
}

/// The parts of the current content that the model has seen.
fn seen(call: &RunningCall, location: &Location, file: &Original) -> Result<Coverage, ToolError> {
    let (code, reason) = match call.files.seen.coverage(location, &file.hash) {
        Ok(coverage) => return Ok(coverage),
        Err(Unseen::Never) => (
            ErrorCode::NotRead,
            "was not read; Read it before changing it",
        ),
        Err(Unseen::Changed) => (
            ErrorCode::Stale,
            "has changed since it was read; Read it again before changing it",
        ),
    };
    Err(location.refused(code, reason))
}
