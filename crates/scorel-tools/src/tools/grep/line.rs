//! Lines for display.

/// The most bytes shown of a line.
const MAX_LINE_BYTES: usize = 500;
/// The context before a match in a cut line, in bytes.
const LEAD_BYTES: usize = 100;

/// A line without its ending, cut around `focus` if it is long. Invalid UTF-8 becomes U+FFFD.
pub(super) fn shown_line(line: &[u8], focus: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MAX_LINE_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let from = if focus + LEAD_BYTES > MAX_LINE_BYTES {
        boundary(line, focus.min(line.len()) - LEAD_BYTES)
    } else {
        0
    };
    let to = boundary(line, (from + MAX_LINE_BYTES).min(line.len()));
    let text = String::from_utf8_lossy(&line[from..to]);
    match (from, line.len() - to) {
        (0, after) => format!("{text} [... {after} more bytes]"),
        (before, 0) => format!("[{before} bytes ...] {text}"),
        (before, after) => format!("[{before} bytes ...] {text} [... {after} more bytes]"),
    }
}

/// The nearest offset at or before `at` that is not inside a UTF-8 character.
fn boundary(line: &[u8], at: usize) -> usize {
    let begins = |index: &usize| line.get(*index).is_none_or(|byte| byte & 0xc0 != 0x80);
    (at.saturating_sub(3)..=at).rev().find(begins).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_loses_only_its_end() {
        assert_eq!(shown_line(b"a\tb \r\n", 0), "a\tb ");
        assert_eq!(shown_line(b"a\xffb", 0), "a\u{fffd}b");
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let line = format!("{}NEEDLE{}", "é".repeat(1_000), "ü".repeat(1_000));
        let shown = shown_line(line.as_bytes(), 2_000);
        assert!(shown.starts_with("[1900 bytes ...] éé"), "{shown}");
        assert!(shown.contains("éNEEDLEü"));
        assert!(shown.ends_with("ü [... 1606 more bytes]"), "{shown}");
        let start = shown_line(line.as_bytes(), 0);
        assert!(start.starts_with("éé") && start.ends_with("é [... 3506 more bytes]"));
        let end = shown_line(line.as_bytes(), line.len());
        assert!(end.starts_with("[3906 bytes ...] ü") && end.ends_with('ü'));
    }
}
