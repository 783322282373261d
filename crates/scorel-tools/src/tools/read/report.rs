//! Results of `Read`.

use serde::Serialize;

use super::lines::{LineWindow, MAX_LINE_BYTES};
use crate::content_hash::ContentHash;
use crate::roots::Location;
use crate::tool_output::ToolOutput;

/// A file whose lines are shown.
#[derive(Debug, Default)]
pub(super) struct ShownFile {
    pub(super) bytes: u64,
    pub(super) hash: Option<ContentHash>,
    /// True if the file was read to its end.
    pub(super) is_complete: bool,
    /// The form that it is shown in, if that is not its own.
    pub(super) shown_as: Option<&'static str>,
    /// Unless it is UTF-8.
    pub(super) encoding: Option<&'static str>,
    /// A sentence for the model.
    pub(super) note: Option<String>,
}

/// The `details` of a success.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadFigures {
    path: String,
    bytes: u64,
    /// Of the whole file; only if all of it was read and it is at most 64 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// `pdf` or `notebook`: lines are then those of its text and not of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_as: Option<&'static str>,
    /// Unless it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// The first line shown, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// Only if the whole file was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// True if lines after the shown ones, or parts of shown lines, are missing.
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_column: Option<u64>,
    /// The note in the text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

pub(super) fn report(location: &Location, file: &ShownFile, window: &LineWindow) -> ToolOutput {
    let hint = hint(location, file, window);
    let shown = window.shown();
    let figures = ReadFigures {
        path: location.named(),
        bytes: file.bytes,
        sha256: file.hash.map(|hash| hash.to_string()),
        shown_as: file.shown_as,
        encoding: file.encoding,
        start_line: shown.as_ref().map(|lines| *lines.start()),
        end_line: shown.as_ref().map(|lines| *lines.end()),
        total_lines: file.is_complete.then(|| window.lines()),
        truncated: window.next_offset().is_some() || window.cut_lines > 0,
        next_offset: window.next_offset(),
        next_column: window.next_column(),
        hint: hint.clone(),
    };
    ToolOutput::noted(&window.text, hint.as_deref(), &figures)
}

/// The note on omissions.
fn hint(location: &Location, file: &ShownFile, window: &LineWindow) -> Option<String> {
    let mut sentences = Vec::new();
    match (window.shown(), window.next_offset()) {
        (None, _) if file.bytes == 0 => sentences.push(format!("{location} is empty.")),
        (None, _) => sentences.push(format!(
            "{location} has only {} lines; nothing is at this offset.",
            window.lines()
        )),
        (Some(lines), Some(next)) => {
            let of = if file.is_complete {
                format!("of {}", window.lines())
            } else {
                format!("of a file of {} bytes", file.bytes)
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
        sentences.push(format!("The line continues at column {column}."));
    } else if window.cut_lines > 0 {
        sentences.push(format!(
            "{} long lines were cut after {MAX_LINE_BYTES} bytes; to see the rest of one, give its \
             number as `offset` and {} as `column`.",
            window.cut_lines,
            MAX_LINE_BYTES + 1
        ));
    }
    sentences.extend(file.note.clone());
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
