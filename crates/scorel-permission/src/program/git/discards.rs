//! Which commands of git discard work that is not committed.

use super::super::options::{has_short, is_long};
use crate::shell::{Word, WordKind};

/// Whether a `checkout` overwrites files, as far as its words say. Whether a single name is a branch's
/// or a file's only the repository knows; a file's name mostly has an extension.
pub(super) fn checks_out_paths(args: &[Word]) -> bool {
    let makes_branch = |word: &Word| {
        has_short(&word.text, "bBtd")
            || ["--orphan", "--track", "--detach"].contains(&word.text.as_str())
    };
    if let Some(dashes) = args.iter().position(|word| word.known() == Some("--")) {
        return dashes + 1 < args.len();
    }
    if args.iter().any(makes_branch) {
        return false;
    }
    let has_list = args
        .iter()
        .any(|word| word.text.starts_with("--pathspec-from-file"));
    let operands: Vec<&Word> = args
        .iter()
        .filter(|word| !word.text.starts_with('-') || word.text == "-")
        .collect();
    match operands.as_slice() {
        [] => has_list,
        [name] => has_list || is_file_name(name),
        _ => true,
    }
}

/// Whether a word looks like a path and not like a branch, a tag or a commit.
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
                || extension.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
        }
    }
}

/// Whether a `restore` changes files, and not only the index.
pub(super) fn restores_files(args: &[Word]) -> bool {
    has(args, "W", "--worktree") || !has(args, "S", "--staged")
}

/// Whether `branch` deletes a branch although its commits are in no other one.
pub(super) fn deletes_unmerged(args: &[Word]) -> bool {
    let deletes = has(args, "d", "--delete") && has(args, "f", "--force");
    deletes || args.iter().any(|word| has_short(&word.text, "D"))
}

fn has(args: &[Word], letter: &str, long: &str) -> bool {
    args.iter()
        .any(|word| has_short(&word.text, letter) || is_long(&word.text, long))
}
