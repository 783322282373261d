use scorel_proto::ImportReport;

use super::foreign_json::{MAX_VALUES, Unreadable};

/// The number of unknown types that a report names.
const MAX_TYPES: usize = 20;

/// Characters of the name of an unknown type.
const MAX_NAME: usize = 64;

/// Counts a line of a type that this version does not know.
pub(super) fn unknown(report: &mut ImportReport, name: Option<&str>) {
    report.unknown += 1;
    let name: String = name.unwrap_or("?").chars().take(MAX_NAME).collect();
    if report.unknown_types.len() < MAX_TYPES && !report.unknown_types.contains(&name) {
        report.unknown_types.push(name);
    }
}

/// Counts a line that is not read: the last one may be half written.
pub(super) fn unreadable(report: &mut ImportReport, why: Unreadable, is_whole: bool) {
    match why {
        Unreadable::TooManyValues => {
            unknown(report, Some(&format!("more than {MAX_VALUES} values")));
        }
        Unreadable::NotJson if is_whole => unknown(report, None),
        Unreadable::NotJson => report.torn = true,
    }
}

/// Counts a line that is read, and whether it says something of the conversation.
pub(super) fn count(report: &mut ImportReport, is_taken: bool) {
    if is_taken {
        report.imported += 1;
    } else {
        report.skipped += 1;
    }
}
