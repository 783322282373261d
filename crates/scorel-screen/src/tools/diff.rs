use scorel_proto::counted;
use serde::Deserialize;
use serde_json::Value;

use crate::layout::Layout;
use crate::line::Line;
use crate::style::Style;

/// The most lines of a diff that are shown.
const MAX_LINES: usize = 12;

/// The change that a call has made to a file, from the details of its result.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileDiff {
    lines_added: u64,
    lines_removed: u64,
    /// In unified format.
    diff: String,
}

impl FileDiff {
    pub(super) fn of(details: Option<&Value>) -> Option<Self> {
        Self::deserialize(details?).ok()
    }

    pub(super) fn figures(&self) -> String {
        format!("+{} −{}", self.lines_added, self.lines_removed)
    }

    /// The changed lines with their numbers.
    pub(super) fn lines(&self, layout: &Layout) -> Vec<Line> {
        let (mut old, mut new) = (0, 0);
        let mut changed = Vec::new();
        for line in self.diff.lines() {
            if let Some(hunk) = line.strip_prefix("@@ ") {
                (old, new) = starts(hunk).unwrap_or((old, new));
                continue;
            }
            // The names of the file stand before the first hunk.
            if (old, new) == (0, 0) {
                continue;
            }
            let number = match line.as_bytes().first() {
                Some(b'-') => &mut old,
                Some(b'+') => &mut new,
                Some(b'\\') => continue,
                _ => {
                    old += 1;
                    new += 1;
                    continue;
                }
            };
            if changed.len() < MAX_LINES {
                changed.push(row(*number, line, layout));
            }
            *number += 1;
        }
        let all = self.lines_added + self.lines_removed;
        let more = all.saturating_sub(changed.len() as u64);
        if more > 0 {
            let text = format!("    … {}", counted(more, "more line"));
            changed.push(Line::plain(&text, Style::Dim));
        }
        changed
    }
}

fn row(number: u64, line: &str, layout: &Layout) -> Line {
    let (sign, text) = line.split_at(1);
    let style = if sign == "+" {
        Style::Added
    } else {
        Style::Removed
    };
    Line::plain(&format!("{number:>6} {sign} {text}"), style).cut(layout.row())
}

/// The first lines of a hunk, from `-1,2 +3,4 @@`. A file that was empty begins at 0.
fn starts(hunk: &str) -> Option<(u64, u64)> {
    let mut words = hunk.split(' ');
    let mut start = |sign| {
        let word = words.next()?.strip_prefix(sign)?;
        word.split(',').next()?.parse().ok()
    };
    let (old, new): (u64, u64) = (start('-')?, start('+')?);
    Some((old, new))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::TimeZone;

    fn shown(diff: &str, added: u64, removed: u64) -> Vec<String> {
        let details =
            json!({"linesAdded": added, "linesRemoved": removed, "diff": diff, "path": "a"});
        let diff = FileDiff::of(Some(&details)).expect("a diff");
        let lines = diff.lines(&Layout::new(30, TimeZone::UTC));
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn changed_lines_have_their_numbers() {
        let diff = "--- a/x\n+++ b/x\n@@ -40,3 +40,3 @@\n a\n-\told\n+new \u{1b}[2J\n b\n@@ -60,0 +61 @@\n+--- and a line that is too long\n\\ No newline at end of file\n";
        assert_eq!(
            shown(diff, 2, 1),
            [
                "    41 -    old",
                "    41 + new ⟨1b⟩[2J",
                "    61 + --- and a line that …"
            ],
        );
    }

    #[test]
    fn a_long_diff_is_cut() {
        let lines: String = (0..40).map(|number| format!("+{number}\n")).collect();
        let rows = shown(&format!("--- a\n+++ b\n@@ -0,0 +1,40 @@\n{lines}"), 40, 0);
        assert_eq!(rows.len(), MAX_LINES + 1);
        assert_eq!(rows[0], "     1 + 0");
        assert_eq!(rows[MAX_LINES], "    … 28 more lines");
    }
}
