//! Commands of git that discard work which is not committed.

use super::super::options::{CommandLine, GivenOption};
use crate::word::{Word, WordKind};

/// Returns whether a `checkout` overwrites files, as far as its words say. Whether a single name is a branch's
/// or a file's only the repository knows.
pub(super) fn checks_out_paths(line: &CommandLine, args: &[Word]) -> bool {
    if let Some(dashes) = dashes(args) {
        return line.operands.iter().any(|index| *index > dashes);
    }
    if makes_branch(line) {
        return false;
    }
    let has_list = ["pathspec-from-file", "ours", "theirs", "patch"]
        .iter()
        .any(|name| line.has(name));
    match line.operands.as_slice() {
        [] => has_list,
        [name] => has_list || is_file_name(&args[*name]),
        _ => true,
    }
}

/// The only name that a `checkout` is given, relative to the shell's directory: a branch's, or a file's
/// that it overwrites.
pub(super) fn lone_name(line: &CommandLine, args: &[Word], before: &CommandLine) -> Option<Word> {
    let [name] = line.operands.as_slice() else {
        return None;
    };
    if makes_branch(line) || dashes(args).is_some() {
        return None;
    }
    let name = args[*name].known()?;
    let mut inside = before.options.iter().filter(|option| option.is("C"));
    let path = match (inside.next().and_then(GivenOption::value), inside.next()) {
        (None, _) => name.to_owned(),
        (Some(directory), None) => format!("{}/{name}", directory.text),
        _ => return None,
    };
    Some(Word::literal(path))
}

fn dashes(args: &[Word]) -> Option<usize> {
    args.iter().position(|word| word.known() == Some("--"))
}

fn makes_branch(line: &CommandLine) -> bool {
    ["b", "B", "t", "d", "orphan"]
        .iter()
        .any(|name| line.has(name))
}

/// Returns whether a word looks like a path and not like a branch, a tag or a commit.
fn is_file_name(word: &Word) -> bool {
    let text = word.text.as_str();
    let name = text.rsplit('/').next().unwrap_or(text);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    match word.kind {
        WordKind::Glob => true,
        WordKind::Unknown => false,
        WordKind::Literal => {
            matches!(text, "." | "..")
                || ["/", "./", "../", ":"]
                    .iter()
                    .any(|start| text.starts_with(start))
                || text.ends_with('/')
                || text.contains(['*', '?', '['])
                || extension.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
                || is_title(name)
        }
    }
}

/// Returns whether a name is like `Makefile` and `LICENSE`. Branches are rarely, and `HEAD` is git's own.
fn is_title(name: &str) -> bool {
    let is_word = name
        .bytes()
        .all(|it| it.is_ascii_alphabetic() || it == b'_');
    is_word && name.starts_with(|it: char| it.is_ascii_uppercase()) && !name.ends_with("HEAD")
}

/// Returns whether a `restore` changes files, and not only the index.
pub(super) fn restores_files(line: &CommandLine) -> bool {
    line.has("worktree") || !line.has("staged")
}

/// Returns whether `branch` deletes a branch although its commits are in no other one.
pub(super) fn deletes_unmerged(line: &CommandLine) -> bool {
    line.has("delete") && line.has("force") || line.has("D")
}
