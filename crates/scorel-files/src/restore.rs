//! Restoring files to the states in a record.
//!
//! Every step can be repeated: a restore that was interrupted anywhere is carried out again from its
//! record, and finds the files at the state before or at the one after. A file at neither was changed by
//! another program and is left alone.

mod replace;

use std::collections::HashSet;

use scorel_proto::{FailedFile, FileChange, FilePath, FileState};

use crate::content_store::ContentStore;
use crate::project_dir::ProjectDir;

use replace::Replacement;

/// Gives each file its state `after`. `key` makes the names of temporary files: the same in every
/// repetition, and in no other restore.
pub(crate) fn restore(
    project: &ProjectDir,
    store: &ContentStore,
    key: &str,
    files: &[FileChange],
) -> Vec<FailedFile> {
    let mut failed = Vec::new();
    for (number, change) in ordered(files) {
        let temporary = format!(".scorel-{key}-{number}.tmp");
        let replacement = Replacement {
            project,
            store,
            change,
            temporary: &temporary,
        };
        if let Err(error) = replacement.make() {
            failed.push(FailedFile {
                path: change.path.clone(),
                error,
            });
        }
    }
    failed
}

/// Files are written before others are deleted, so that an interrupted restore leaves too much and not
/// too little. A file in the way of one to be written is deleted first: a file that becomes a
/// directory, or the content of a directory that becomes a file.
fn ordered(files: &[FileChange]) -> Vec<(usize, &FileChange)> {
    let written: Vec<&FilePath> = files
        .iter()
        .filter(|change| change.after != FileState::Absent)
        .map(|change| &change.path)
        .collect();
    let directories: HashSet<&str> = written
        .iter()
        .flat_map(|path| ancestors(path.as_str()))
        .collect();
    let targets: HashSet<&str> = written.iter().map(|path| path.as_str()).collect();
    let is_in_the_way = |path: &FilePath| {
        directories.contains(path.as_str())
            || ancestors(path.as_str()).any(|parent| targets.contains(parent))
    };
    let rank = |change: &FileChange| match &change.after {
        FileState::Absent if is_in_the_way(&change.path) => 0,
        FileState::Absent => 2,
        _ => 1,
    };
    let mut ordered: Vec<(usize, &FileChange)> = files.iter().enumerate().collect();
    ordered.sort_by_key(|(_, change)| rank(change));
    ordered
}

/// The directories that a path is in.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
