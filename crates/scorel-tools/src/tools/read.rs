//! `Read`: shows a text file or a picture.

mod header;
mod lines;
mod picture;
mod text;

use std::num::NonZeroU64;

use schemars::JsonSchema;
use scorel_runtime::{Planned, ToolClass, ToolSpec, parse_arguments};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ToolError;
use crate::file_tool::FileTool;
use crate::roots::Location;
use crate::running_call::RunningCall;
use crate::session_files::SessionFiles;
use crate::tool_output::ToolOutput;

use header::FileHeader;
use lines::{LineWindow, MAX_LINE_BYTES};
use text::{TextFile, failed};

/// The default of `limit`.
const DEFAULT_LIMIT: u64 = 2_000;

const DESCRIPTION: &str = "\
Reads a UTF-8 text file of the project, or a picture (PNG, JPEG, GIF, WebP). Shows each line as its \
number, a tab and its text; numbers start at 1 and are not part of the file. Line endings (LF or CR LF) \
are not shown. Shows up to 2000 lines from the start; use `offset` and `limit` for others. A note in \
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

/// The `details` of a success.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadFigures {
    path: String,
    bytes: u64,
    /// Of the whole file; only if all of it was read and it is at most 8 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// The first line shown, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// Only if the whole file was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Whether lines after the shown ones, or parts of shown lines, are missing.
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_column: Option<u64>,
    /// The note in the text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
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
        if let Some(media_type) = header.picture() {
            return picture::show(call, &location, file, &header, media_type);
        }
        let mut file = TextFile::new(file, &header, &location, &call.pace);
        let mut window = arguments.window();
        while !(window.has_more() && file.is_large()) {
            match file.next()? {
                Some(text) => window.push(text),
                None => {
                    window.finish();
                    break;
                }
            }
        }
        if let Some(hash) = file.hash() {
            call.files.seen.add(&location, hash, window.seen().clone());
        }
        Ok(report(&location, &file, &window))
    }
}

fn report(location: &Location, file: &TextFile<'_>, window: &LineWindow) -> ToolOutput {
    let total_lines = file.is_complete().then(|| window.lines());
    let hint = hint(location, file, window);
    let shown = window.shown();
    let figures = ReadFigures {
        path: location.named(),
        bytes: file.bytes(),
        sha256: file.hash().map(|hash| hash.to_string()),
        start_line: shown.as_ref().map(|lines| *lines.start()),
        end_line: shown.as_ref().map(|lines| *lines.end()),
        total_lines,
        truncated: window.next_offset().is_some() || window.cut_lines() > 0,
        next_offset: window.next_offset(),
        next_column: window.next_column(),
        hint: hint.clone(),
    };
    let mut text = window.text().to_owned();
    if let Some(hint) = hint {
        text.push('[');
        text.push_str(&hint);
        text.push_str("]\n");
    }
    ToolOutput::new(text, &figures)
}

/// The note on what is not shown.
fn hint(location: &Location, file: &TextFile<'_>, window: &LineWindow) -> Option<String> {
    let mut sentences = Vec::new();
    match (window.shown(), window.next_offset()) {
        (None, _) if file.bytes() == 0 => sentences.push(format!("{location} is empty.")),
        (None, _) => sentences.push(format!(
            "{location} has only {} lines; nothing is at this offset.",
            window.lines()
        )),
        (Some(lines), Some(next)) => {
            let of = if file.is_complete() {
                format!("of {}", window.lines())
            } else {
                format!("of a file of {} bytes", file.bytes())
            };
            sentences.push(format!(
                "Lines {} to {} {of}. Continue with offset {next}.",
                lines.start(),
                lines.end()
            ));
        }
        (Some(_), None) => {}
    }
    if let Some(column) = window.next_column() {
        sentences.push(format!("The line goes on at column {column}."));
    } else if window.cut_lines() > 0 {
        sentences.push(format!(
            "{} long lines were cut after {MAX_LINE_BYTES} bytes; to see the rest of one, give its \
             number as `offset` and {} as `column`.",
            window.cut_lines(),
            MAX_LINE_BYTES + 1
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
