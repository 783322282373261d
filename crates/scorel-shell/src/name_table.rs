//! Tables of names: each row has some, separated by spaces, for which one reason holds.

/// Returns whether a row has the name.
pub(crate) fn lists(rows: &[&str], name: &str) -> bool {
    rows.iter()
        .any(|row| row.split_ascii_whitespace().any(|it| it == name))
}
