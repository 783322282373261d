//! `Edit`: replaces parts of a file.

mod draft;
mod line_ends;
mod replacement;

use schemars::JsonSchema;
use scorel_engine::{Planned, ToolClass, ToolSpec, parse_arguments};
use serde::Deserialize;
use serde_json::Value;

use crate::changed_file::ChangedFile;
use crate::content_hash::ContentHash;
use crate::diff::Diff;
use crate::encoded::encoded;
use crate::error::{ErrorCode, ToolError};
use crate::file_tool::FileTool;
use crate::roots::{Location, Original};
use crate::running_call::RunningCall;
use crate::seen_files::{Coverage, Unseen};
use crate::session_files::{PlannedWrite, SessionFiles};
use crate::tool_output::ToolOutput;

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

#[derive(Debug)]
pub(crate) struct EditTool;

impl FileTool for EditTool {
    type Plan = (EditArguments, Result<PlannedWrite, ToolError>);

    const RECORDS: bool = true;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<EditArguments>("Edit", DESCRIPTION, ToolClass::Edit)
    }

    fn plan(&self, files: &SessionFiles, input: Value) -> Result<Planned<Self::Plan>, ToolError> {
        let arguments: EditArguments = parse_arguments(input)?;
        check_count(&arguments.edits)?;
        let (effect, write) = files.writing(&arguments.path);
        let (effects, plan) = (vec![effect], (arguments, write));
        Ok(Planned { effects, plan })
    }

    fn write(plan: &mut Self::Plan) -> Option<&mut Result<PlannedWrite, ToolError>> {
        Some(&mut plan.1)
    }

    fn run(&self, call: &RunningCall, plan: Self::Plan) -> Result<ToolOutput, ToolError> {
        let (arguments, write) = plan;
        let write = write?;
        let PlannedWrite {
            location, target, ..
        } = &write;
        call.check_wanted(location)?;
        let (destination, original) = call.roots.existing(location, call.write_access(target))?;
        write.check(Some(&original))?;
        let (encoding, text) = original.text(location)?;
        let draft = draft(call, location, (&original, &text), &arguments.edits)?;
        let content = encoded(&draft.text, encoding, location)?;
        let notes = destination.put(&content, Some(&original))?;
        let hash = ContentHash::of(&content);
        call.files.seen.add(location, hash, draft.seen.clone());
        let diff = Diff::between(&location.relative(), &text, &draft.text);
        let replaced = match draft.replacements {
            1 => "1 text replaced".to_owned(),
            count => format!("{count} texts replaced"),
        };
        let sentence = format!("Changed {location}: {replaced}, {}.", diff.counts());
        let written = (encoding, hash, content.len());
        let mut changed = ChangedFile::new(location, Some(&original), written, diff, notes);
        changed.replacements = Some(draft.replacements);
        let mut output = changed.output(&sentence);
        output.changed = call.files.written(write, &content);
        Ok(output)
    }
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
        let message = format!(
            "{location} would stay as it is: the edits undo each other, or differ in line ends \
             only, which are kept"
        );
        return Err(ToolError::invalid(message).with("path", location.named()));
    }
    Ok(draft)
}

/// The parts of the current content that the model has seen.
fn seen(call: &RunningCall, location: &Location, file: &Original) -> Result<Coverage, ToolError> {
    let (code, reason) = match call.files.seen.coverage(location, file.hash()) {
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
    Err(location.error(code, format!("{location} {reason}")))
}
