//! Results of `Read`.

use scorel_engine::ToolOutcome;
use scorel_proto::BlobHash;
use serde::Serialize;

use super::lines::{LineWindow, MAX_LINE_BYTES};
use crate::details::noted;
use crate::roots::Location;

/// A file whose lines are shown.
#[derive(Debug, Default)]
pub(super) struct ShownFile {
    pub(super) bytes: u64,
    pub(super) hash: Option<BlobHash>,
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
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadFigures {
    path: String,
    bytes: u64,
    /// Of the whole file; only if all of it was read and it is at most 64 MiB.
    sha256: Option<BlobHash>,
    /// `pdf` or `notebook`: lines are then those of its text and not of the file.
    shown_as: Option<&'static str>,
    /// Unless it is UTF-8.
    encoding: Option<&'static str>,
    /// The first line shown, if any.
    start_line: Option<u64>,
    end_line: Option<u64>,
    /// Only if the whole file was read.
    total_lines: Option<u64>,
    /// True if lines after the shown ones, or parts of shown lines, are missing.
    truncated: bool,
    next_offset: Option<u64>,
    next_column: Option<u64>,
    /// The note in the text for the model.
    hint: Option<String>,
}

pub(super) fn report(location: &Location, file: &ShownFile, window: &LineWindow) -> ToolOutcome {
    let hint = hint(location, file, window);
    let shown = window.shown();
    let figures = ReadFigures {
        path: location.named(),
        bytes: file.bytes,
        sha256: file.hash.clone(),
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
    noted(&window.text, hint.as_deref(), &figures)
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
