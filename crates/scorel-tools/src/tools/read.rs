//! `Read`: shows a text file, a document, a notebook or a picture.

mod attached;
mod header;
mod lines;
mod notebook;
mod opened;
mod picture;
mod rendered;
mod report;
mod text;

use std::num::NonZeroU64;

use schemars::JsonSchema;
use scorel_engine::{Planned, ToolClass, ToolSpec, parse_arguments};
use serde::Deserialize;
use serde_json::Value;

use crate::error::ToolError;
use crate::file_tool::FileTool;
use crate::roots::Location;
use crate::running_call::RunningCall;
use crate::session_files::SessionFiles;
use crate::tool_output::ToolOutput;

#[cfg(test)]
pub(crate) use attached::MAX_ATTACHED_TEXT;
pub use attached::{AttachedContent, AttachedFile};

use header::FileHeader;
use lines::LineWindow;
use opened::OpenedText;
use text::failed;

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

#[derive(Debug)]
pub(crate) struct ReadTool;

impl FileTool for ReadTool {
    type Plan = (ReadArguments, Location);

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<ReadArguments>("Read", DESCRIPTION, ToolClass::Inspect).read_only()
    }

    fn plan(&self, files: &SessionFiles, input: Value) -> Result<Planned<Self::Plan>, ToolError> {
        let arguments: ReadArguments = parse_arguments(input)?;
        let (effect, location) = files.plan_read(&arguments.path)?;
        let (effects, plan) = (vec![effect], (arguments, location));
        Ok(Planned { effects, plan })
    }

    fn run(&self, call: &RunningCall, plan: Self::Plan) -> Result<ToolOutput, ToolError> {
        let (arguments, location) = plan;
        let file = call.open_shown(&location)?;
        let header = FileHeader::of(&file).map_err(|error| failed(&location, &error))?;
        if header.picture().is_some() {
            return picture::show(call, &location, file, &header);
        }
        let opened = OpenedText {
            call,
            location: &location,
            header: &header,
        };
        let window = arguments.window();
        if header.is_pdf() {
            let rendered = rendered::pdf(file, &location, &call.pace)?;
            return Ok(opened.rendered(rendered, window));
        }
        let is_raw = arguments.raw.unwrap_or(false);
        let notebook = (!is_raw).then(|| rendered::notebook(&file, &location));
        match notebook.transpose()?.flatten() {
            Some(rendered) => Ok(opened.rendered(rendered, window)),
            None => opened.text(&file, window),
        }
    }
}
