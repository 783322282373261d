use super::name::is_name;

/// The value of a variable in the text of an `env` file; the last assignment wins. `Err` is the number
/// of the first malformed line.
///
/// The format is that of systemd's `EnvironmentFile=`, since the unit reads the same file, plus
/// `export` as shells write it: blank lines, comments with `#` or `;`, `NAME=value`, values in single
/// or double quotes.
pub(super) fn find(text: &str, name: &str) -> Result<Option<String>, usize> {
    let mut found = None;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (variable, value) = assignment(line).ok_or(number + 1)?;
        if variable == name {
            found = Some(value);
        }
    }
    Ok(found)
}

/// Every name with its value in the text of an `env` file; malformed lines are skipped.
pub(super) fn assignments(text: &str) -> impl Iterator<Item = (&str, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().filter_map(|line| assignment(line.trim()))
}

fn assignment(line: &str) -> Option<(&str, String)> {
    let (variable, value) = line.split_once('=')?;
    let variable = variable.trim();
    let exported = variable
        .strip_prefix("export")
        .filter(|rest| rest.starts_with([' ', '\t']));
    let variable = exported.map_or(variable, str::trim);
    is_name(variable).then_some(())?;
    Some((variable, unquoted(value.trim())?))
}

/// `None` if a quote is not closed or text follows the closing one.
fn unquoted(value: &str) -> Option<String> {
    match value.chars().next() {
        Some('\'') => {
            let inner = value[1..].strip_suffix('\'')?;
            (!inner.contains('\'')).then(|| inner.to_owned())
        }
        Some('"') => unescaped(&value[1..]),
        _ => Some(value.to_owned()),
    }
}

/// The text up to the closing double quote, which must be the last character.
fn unescaped(text: &str) -> Option<String> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return chars.as_str().is_empty().then_some(value),
            '\\' => value.push(chars.next()?),
            other => value.push(other),
        }
    }
}
