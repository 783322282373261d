//! Paths as the model and user interfaces see them.

use std::fmt::Write as _;
use std::path::Path;

/// The path as text: bytes that are not UTF-8 become U+FFFD, control characters their escapes, so
/// that one path is one line.
pub(crate) fn shown_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    if !text.contains(char::is_control) {
        return text.into_owned();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_path_is_one_line_of_text() {
        let shown = |bytes| shown_path(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(shown("a/ü b".as_bytes()), "a/ü b");
        assert_eq!(shown(b"a\nb\x1b[0m"), r"a\nb\u{1b}[0m");
        assert_eq!(shown(b"a\xff"), "a\u{fffd}");
    }
}
