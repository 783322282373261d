//! Paths for display.

use std::fmt::Write as _;
use std::path::Path;

/// A path for display: invalid UTF-8 becomes U+FFFD, control characters are escaped, so that one path is
/// one line.
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
