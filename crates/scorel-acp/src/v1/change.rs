use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::Diff;
use scorel_fs::open_linked;
use serde_json::Value;

use super::tool_call::path;

/// The longest file that is shown whole before and after a change, in bytes.
const MAX_FILE: u64 = 256 << 10;

/// Between the parts of a file that a change touches.
const GAP: &str = "…\n";

/// The change that `Edit` or `Write` makes to one file. Editors take several diffs of one file for several files, or show
/// one of them, so it is always one diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    path: PathBuf,
    edits: Edits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Edits {
    All(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    old: String,
    new: String,
    is_everywhere: bool,
}

impl Change {
    /// The change that a call asks for; `None` for another call.
    pub(crate) fn of(name: &str, input: &Value, work_dir: &Path) -> Option<Self> {
        let edits = match name {
            "Write" => Edits::All(input["content"].as_str()?.to_owned()),
            "Edit" | "MultiEdit" => {
                let parts: Vec<Part> = match input["edits"].as_array() {
                    Some(edits) => edits.iter().filter_map(Part::of).collect(),
                    None => Part::of(input).into_iter().collect(),
                };
                Edits::Parts(Some(parts).filter(|it| !it.is_empty())?)
            }
            _ => return None,
        };
        let path = path(input, work_dir)?;
        Some(Self { path, edits })
    }

    /// What the call says: the parts of the file that it names.
    pub(crate) fn parts(&self) -> Diff {
        let parts = match &self.edits {
            Edits::All(content) => return Diff::new(&self.path, content),
            Edits::Parts(parts) => parts,
        };
        let joined = |text: fn(&Part) -> &str| {
            let texts: Vec<String> = parts.iter().map(|it| ended(text(it))).collect();
            texts.join(GAP)
        };
        let (old, new) = (joined(|it| &it.old), joined(|it| &it.new));
        Diff::new(&self.path, new).old_text(old)
    }

    /// The whole file before and after; `None` if it cannot be read, or does not have what the call replaces. Blocks on the
    /// disk.
    pub(crate) fn whole(&self) -> Option<Diff> {
        let before = content(&self.path)?;
        let after = match &self.edits {
            Edits::All(content) => content.clone(),
            Edits::Parts(parts) => parts
                .iter()
                .try_fold(before.clone(), |text, part| part.applied(&text))?,
        };
        Some(Diff::new(&self.path, after).old_text(before))
    }
}

impl Part {
    fn of(edit: &Value) -> Option<Self> {
        let text = |keys: [&str; 2]| keys.iter().find_map(|key| edit[*key].as_str());
        let is_set = |key| edit[key].as_bool() == Some(true);
        Some(Self {
            old: text(["oldString", "old_string"])?.to_owned(),
            new: text(["newString", "new_string"])?.to_owned(),
            is_everywhere: is_set("replaceAll") || is_set("replace_all"),
        })
    }

    fn applied(&self, text: &str) -> Option<String> {
        let count = text.matches(&self.old).count();
        let fits = !self.old.is_empty() && (count == 1 || (count > 1 && self.is_everywhere));
        fits.then(|| text.replace(&self.old, &self.new))
    }
}

/// A part of a line shows as a line of its own.
fn ended(text: &str) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}

fn content(path: &Path) -> Option<String> {
    let file = open_linked(OpenOptions::new().read(true), path).ok()?;
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= MAX_FILE).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn change(name: &str, input: &Value, dir: &Path) -> Change {
        Change::of(name, input, dir).expect("a change")
    }

    #[test]
    fn a_file_is_shown_whole_before_and_after() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "one\ntwo\ntwo\n").unwrap();
        let edit = json!({"path": "a", "edits": [
            {"oldString": "one", "newString": "1"},
            {"oldString": "two", "newString": "2", "replaceAll": true},
        ]});
        let write = json!({"path": "@project/a", "content": "new\n"});
        for (name, input, after) in [("Edit", edit, "1\n2\n2\n"), ("Write", write, "new\n")] {
            let whole = change(name, &input, dir.path()).whole().expect("readable");
            assert_eq!(whole.old_text.as_deref(), Some("one\ntwo\ntwo\n"));
            assert_eq!(whole.new_text, after);
            assert_eq!(whole.path, dir.path().join("a"));
        }
    }

    #[test]
    fn what_does_not_fit_the_file_is_not_made_up() {
        let dir = tempfile::tempdir().unwrap();
        let edit = |old: &str| json!({"path": "a", "oldString": old, "newString": "x"});
        assert_eq!(change("Edit", &edit("one"), dir.path()).whole(), None);
        fs::write(dir.path().join("a"), "two two").unwrap();
        for old in ["one", "two", ""] {
            assert_eq!(
                change("Edit", &edit(old), dir.path()).whole(),
                None,
                "{old}"
            );
        }
        fs::write(dir.path().join("a"), "x".repeat(MAX_FILE as usize + 1)).unwrap();
        let write = json!({"path": "a", "content": ""});
        assert_eq!(change("Write", &write, dir.path()).whole(), None);
        let itself = json!({"path": ".", "content": ""});
        assert_eq!(change("Write", &itself, dir.path()).whole(), None);
    }

    #[test]
    fn several_parts_are_one_diff_of_lines() {
        let input = json!({"path": "a/b", "edits": [
            {"oldString": "1", "newString": "2"}, {"old_string": "3\n", "new_string": ""},
        ]});
        let diff = change("Edit", &input, Path::new("/p")).parts();
        assert_eq!(diff.path, Path::new("/p/a/b"));
        assert_eq!(diff.old_text.as_deref(), Some("1\n…\n3\n"));
        assert_eq!(diff.new_text, "2\n…\n");
        assert_eq!(Change::of("Bash", &input, Path::new("/p")), None);
    }
}
