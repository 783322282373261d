use scorel_proto::ImportReport;

/// How many unknown types a report names.
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

/// Counts a line that is no JSON object: the last one may be half written.
pub(super) fn not_json(report: &mut ImportReport, is_whole: bool) {
    if is_whole {
        unknown(report, None);
    } else {
        report.torn = true;
    }
}
