//! Differences between versions of a text.

use std::time::Duration;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::char_boundary::floor_char_boundary;

/// The size limit of a diff in a record; the rest is cut.
const MAX_DIFF_BYTES: usize = 32 * 1024;
/// Context lines around a change, as `diff -u` has.
const CONTEXT_LINES: usize = 3;
/// The longest time for which the shortest diff is searched. Myers' algorithm is quadratic at worst; after this the
/// result is correct but longer.
const SEARCH_LIMIT: Duration = Duration::from_millis(500);

/// The difference between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diff {
    pub(crate) lines_added: u64,
    pub(crate) lines_removed: u64,
    /// In unified format; its beginning, if it is over the limit.
    #[serde(rename = "diff")]
    pub(crate) text: String,
    #[serde(rename = "diffTruncated")]
    pub(crate) truncated: bool,
}

impl Diff {
    /// The diff of two versions of the file at the relative `path`. Lines end at line feeds only.
    pub(crate) fn between(path: &str, old: &str, new: &str) -> Self {
        let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
        let (old, new) = (lines(old), lines(new));
        let diff = TextDiff::configure()
            .timeout(SEARCH_LIMIT)
            .newline_terminated(true)
            .diff_slices(&old, &new);
        let changes = diff.ops().iter().flat_map(|op| diff.iter_changes(op));
        let (mut lines_added, mut lines_removed) = (0, 0);
        for change in changes {
            match change.tag() {
                ChangeTag::Insert => lines_added += 1,
                ChangeTag::Delete => lines_removed += 1,
                ChangeTag::Equal => {}
            }
        }
        let (text, truncated) = unified(path, &diff);
        Self {
            lines_added,
            lines_removed,
            text,
            truncated,
        }
    }

    pub(crate) fn counts(&self) -> String {
        format!("+{} -{} lines", self.lines_added, self.lines_removed)
    }
}

fn unified(path: &str, diff: &TextDiff<'_, '_, str>) -> (String, bool) {
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT_LINES);
    let mut text = String::new();
    for hunk in unified.iter_hunks() {
        if text.is_empty() {
            // As GNU diff does: a tab ends a name that contains spaces.
            let end = if path.contains(' ') { "\t" } else { "" };
            text = format!("--- a/{path}{end}\n+++ b/{path}{end}\n");
        }
        text.push_str(&hunk.to_string());
        if text.len() > MAX_DIFF_BYTES {
            let end = floor_char_boundary(&text, MAX_DIFF_BYTES);
            let end = text[..end].rfind('\n').map_or(end, |at| at + 1);
            text.truncate(end);
            return (text, true);
        }
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_the_lines_around_it() {
        let old: String = (1..=9).map(|n| format!("{n}\n")).collect();
        let diff = Diff::between("a/b", &old, &old.replace("5\n", "five\r\nsix\n"));
        assert_eq!(diff.counts(), "+2 -1 lines");
        assert_eq!(
            diff.text,
            "--- a/a/b\n+++ b/a/b\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\r\n+six\n 6\n 7\n 8\n"
        );
        let same = Diff::between("a", &old, &old);
        assert_eq!((same.text.as_str(), same.lines_added), ("", 0));
    }

    #[test]
    fn a_missing_last_line_feed_is_reported() {
        let diff = Diff::between("a", "x\ny", "x\ny\n");
        let hunk = "@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n";
        assert!(diff.text.ends_with(hunk), "{}", diff.text);
    }

    #[test]
    fn a_long_difference_is_cut_at_a_line() {
        let diff = Diff::between("a", "", &"é line\n".repeat(100_000));
        assert!(diff.truncated && diff.text.len() <= MAX_DIFF_BYTES);
        assert!(diff.text.ends_with("+é line\n"));
        assert_eq!(diff.lines_added, 100_000);
        let one = Diff::between("a", "", &"x".repeat(100_000));
        assert!(one.truncated && one.text.len() <= MAX_DIFF_BYTES);
    }
}
