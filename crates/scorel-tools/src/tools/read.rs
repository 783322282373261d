//! `Read`: shows a text file, a document, a notebook or a picture.

mod attached;
mod lines;
mod notebook;
mod opened_file;
mod picture;
mod rendered;
mod report;
mod shown_text;
mod text;

use std::num::NonZeroU64;

use schemars::JsonSchema;
use scorel_engine::{ToolClass, ToolOutcome, ToolSpec, parse_arguments};
use serde::Deserialize;
use serde_json::Value;

use crate::error::ToolError;
use crate::file_plan::FilePlan;
use crate::roots::Location;
use crate::running_call::RunningCall;
use crate::session_files::SessionFiles;

#[cfg(test)]
pub(crate) use attached::MAX_ATTACHED_TEXT;
pub use attached::{AttachedContent, AttachedFile};

use lines::LineWindow;
use opened_file::OpenedFile;

/// The default of `limit`.
const DEFAULT_LIMIT: u64 = 2_000;

const DESCRIPTION: &str = "\
Reads a text file of the project, or a picture (PNG, JPEG, GIF, WebP). Shows each line as its \
number, a tab and its text; numbers start at 1 and are not part of the file. Line endings (LF or CR LF) \
are not shown. PDF documents are shown as text, notebooks (.ipynb) as cells with outputs. Shows up to 2000 lines from the start; use `offset` and `limit` for others. A note in \
brackets at the end tells if there is more and how to continue. Lines longer than 8192 bytes are cut; \
`column` shows the rest of one. Cannot read directories (list them with Glob) or binary files. In a large \
file, find the place with Grep first and read around it.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadArguments {
    /// The file: relative to the project, `@project/...`, or absolute. The user may be asked about a file
    /// outside the project.
    path: String,
    /// The number of the first line to show, from 1. Default 1.
    offset: Option<NonZeroU64>,
    /// The maximum number of lines to show. Default 2000.
    limit: Option<NonZeroU64>,
    /// For a line that is too long to be shown at once: shows only the line at `offset`, from this byte
    /// (counted from 1), up to 65536 bytes.
    column: Option<NonZeroU64>,
    /// For a notebook: whether to show its JSON, as Edit changes it, and not its cells. Default false.
    raw: Option<bool>,
}

impl ReadArguments {
    fn window(&self) -> LineWindow {
        let line = self.offset.map_or(1, NonZeroU64::get);
        match self.column {
            Some(column) => LineWindow::part(line, column.get()),
            None => LineWindow::new(line, self.limit.map_or(DEFAULT_LIMIT, NonZeroU64::get)),
        }
    }
}

pub(crate) fn spec() -> ToolSpec {
    ToolSpec::of::<ReadArguments>("Read", DESCRIPTION, ToolClass::Inspect).read_only()
}

pub(crate) fn plan(files: &SessionFiles, input: Value) -> Result<FilePlan, ToolError> {
    let arguments: ReadArguments = parse_arguments(input)?;
    let (effect, location) = files.plan_read(&arguments.path)?;
    Ok(FilePlan::look(vec![effect], move |call| {
        read(call, &location, &arguments)
    }))
}

fn read(
    call: &RunningCall,
    location: &Location,
    arguments: &ReadArguments,
) -> Result<ToolOutcome, ToolError> {
    let opened = OpenedFile::new(location, call.open_shown(location)?)?;
    if opened.picture().is_some() {
        return picture::show(call, &opened);
    }
    let window = arguments.window();
    if opened.is_pdf() {
        let rendered = rendered::pdf(&opened, &call.pace)?;
        return Ok(opened.rendered(rendered, window));
    }
    let is_raw = arguments.raw.unwrap_or(false);
    let notebook = (!is_raw).then(|| rendered::notebook(&opened));
    match notebook.transpose()?.flatten() {
        Some(rendered) => Ok(opened.rendered(rendered, window)),
        None => opened.text(call, window),
    }
}
