//! Tables of names: each row has some, separated by spaces, for which one reason holds.

/// Returns whether a row has the name.
pub(crate) fn lists(rows: &[&str], name: &str) -> bool {
    rows.iter()
        .any(|row| row.split_ascii_whitespace().any(|it| it == name))
}

/// The facts of the first row that has the name.
pub(crate) fn look_up<'a>(rows: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    let row = rows.iter().find(|(names, _)| lists(&[*names], name));
    row.map(|(_, value)| *value)
}
