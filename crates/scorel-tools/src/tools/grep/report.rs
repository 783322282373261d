//! Results of searches.

use scorel_engine::ToolOutcome;
use serde::Serialize;

use super::arguments::Mode;
use super::search::SearchFindings;
use crate::details::{is_zero, kept_back, noted};
use crate::roots::Location;

/// The `details` of a success.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GrepFigures {
    path: String,
    mode: Mode,
    /// Entries on the page: lines in mode `content`, else files.
    shown: u64,
    matching_files: u64,
    /// Absent in mode `files`, which stops at the first match of a file.
    matching_lines: Option<u64>,
    searched_files: u64,
    binary_files: u64,
    /// Files that permission rules withhold; not counted elsewhere.
    #[serde(skip_serializing_if = "is_zero")]
    kept_back: u64,
    /// True if the counts are exact; otherwise they are lower bounds.
    exact: bool,
    truncated: bool,
    next_offset: Option<u64>,
    /// The note in the text for the model.
    hint: Option<String>,
}

pub(super) fn report(base: &Location, mode: Mode, findings: &SearchFindings) -> ToolOutcome {
    let page = &findings.page;
    let hint = hint(base, mode, findings);
    let figures = GrepFigures {
        path: base.named(),
        mode,
        shown: page.shown,
        matching_files: findings.matching_files,
        matching_lines: (mode != Mode::Files).then_some(findings.matching_lines),
        searched_files: findings.searched_files,
        binary_files: findings.binary_files,
        kept_back: findings.kept_back,
        exact: findings.is_exact(),
        truncated: !findings.is_exact() || findings.kept_back > 0 || page.shown < page.seen,
        next_offset: page.next_offset(),
        hint: hint.clone(),
    };
    noted(&page.text, hint.as_deref(), &figures)
}

/// The note on omissions.
fn hint(base: &Location, mode: Mode, findings: &SearchFindings) -> Option<String> {
    let mut notes = Vec::new();
    notes.extend(summary(base, mode, findings));
    if let Some(interruption) = findings.interruption {
        notes.push(format!(
            "{} after {} files: the answer is incomplete. Narrow `path`, `glob` or `type`.",
            interruption.reason(),
            findings.searched_files
        ));
    }
    if findings.unreadable > 0 {
        notes.push(format!(
            "{} files or directories could not be searched: not readable, or with too long lines.",
            findings.unreadable
        ));
    }
    notes.extend(kept_back(findings.kept_back));
    if findings.cut_files > 0 {
        notes.push(format!(
            "{} of the files are binary; matches after their first NUL byte are left out.",
            findings.cut_files
        ));
    } else if findings.binary_files > 0 && findings.page.seen == 0 {
        notes.push(format!(
            "{} binary files were skipped.",
            findings.binary_files
        ));
    }
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// The part of the result that the page shows, if not all of it.
fn summary(base: &Location, mode: Mode, findings: &SearchFindings) -> Option<String> {
    let page = &findings.page;
    let total = page.seen;
    let at_least = if findings.is_exact() { "" } else { "at least " };
    let entries = match mode {
        Mode::Content => "Matching lines",
        Mode::Files | Mode::Count => "Files",
    };
    let files = findings.matching_files;
    let of = match mode {
        Mode::Content => format!("{at_least}{total} in {files} files"),
        Mode::Files | Mode::Count => format!("{at_least}{total}"),
    };
    if findings.searched_files == 0 {
        let place = base.place();
        return Some(format!("No file in {place} was searched."));
    }
    if total == 0 {
        let (place, searched) = (base.place(), findings.searched_files);
        return Some(format!("No match in {place}; files searched: {searched}."));
    }
    if page.shown == 0 {
        return Some(format!("{entries}: {of}; none is at this offset."));
    }
    page.shown_part(entries, &of)
}
