//! Parses tool results leniently: the demo works with any tools named `Glob` and `Read`, whether
//! they return plain lines or JSON.

use serde_json::Value;

/// The paths in a file listing, in order.
pub(super) fn paths(text: &str) -> Vec<String> {
    let paths = match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let mut found = Vec::new();
            collect(&value, &mut found);
            found
        }
        Err(_) => text.lines().map(str::to_owned).collect(),
    };
    paths.iter().filter_map(|path| clean(path)).collect()
}

/// Returns whether the listing ends with a remark, such as that it was truncated.
pub(super) fn has_remark(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(['[', '(']))
}

/// Collects strings in arrays, and the `path` of objects in arrays.
fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                let path = item.as_str().or_else(|| item["path"].as_str());
                found.extend(path.map(str::to_owned));
            }
        }
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

/// Strips prefixes from a path; `None` for a line that is not a path, such as a remark.
fn clean(line: &str) -> Option<String> {
    let path = line.trim().trim_start_matches("@project/");
    let path = path.trim_start_matches("./");
    let remark = path.starts_with(['(', '[', '<', '#']) || path.contains(": ");
    let sentence = path.ends_with('.') || path.ends_with(':');
    (!path.is_empty() && !remark && !sentence).then(|| path.to_owned())
}

/// The lines of a file without line numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| {
        let rest = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        let unnumbered = rest
            .strip_prefix(['\t', '→', '|'])
            .or_else(|| rest.strip_prefix(": "));
        match unnumbered {
            Some(content) if rest.len() < line.trim_start().len() => content.trim(),
            _ => line.trim(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{lines, paths};

    #[test]
    fn paths_are_found_in_lines_and_in_json() {
        let expected = ["Cargo.toml", "src/"];
        assert_eq!(paths("@project/Cargo.toml\n./src/\n\n(2 files)"), expected);
        assert_eq!(
            paths(r#"{"ok":true,"files":["Cargo.toml","src/"]}"#),
            expected
        );
        let objects = r#"{"matches":[{"path":"Cargo.toml"},{"path":"src/"}]}"#;
        assert_eq!(paths(objects), expected);
        assert!(paths("No files match.").is_empty());
    }

    #[test]
    fn line_numbers_are_taken_off() {
        let text = "     1\t# Title\n12→text\n3|more\nplain 4";
        let expected = ["# Title", "text", "more", "plain 4"];
        assert_eq!(lines(text).collect::<Vec<_>>(), expected);
    }
}
