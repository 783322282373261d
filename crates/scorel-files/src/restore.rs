//! Restoring files to the states in a record.
//!
//! Every step can be repeated: a restore that was interrupted anywhere is carried out again from its
//! record, and finds the files at the state before or at the one after. A file at neither was changed by
//! another program and is left alone.

mod replace;

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use scorel_proto::{FailedFile, FileChange, FilePath, FileState};

use crate::content_store::ContentStore;
use crate::project_dir::{ProjectDir, split};
use crate::sync::sync_all;

use replace::{Replacement, in_words};

/// The files replaced together: each costs the disk less than one by one.
const BATCH: usize = 64;

/// Gives each file its state `after`. `key` makes the names of temporary files: the same in every
/// repetition, and in no other restore. Between batches `goes_on` is asked, with the number of files that
/// are done.
pub(crate) fn restore(
    project: &ProjectDir,
    store: &ContentStore,
    key: &str,
    files: &[FileChange],
    mut goes_on: impl FnMut(usize) -> bool,
) -> Vec<FailedFile> {
    let mut failed = Vec::new();
    let ordered = ordered(files);
    let (mut done, mut cancelled) = (0, false);
    for rank in ordered.chunk_by(|(one, ..), (next, ..)| one == next) {
        let mut made = Vec::with_capacity(rank.len());
        for batch in rank.chunks(BATCH) {
            let replacements = batch.iter().map(|(_, number, change)| Replacement {
                project,
                store,
                change,
                temporary: format!(".scorel-{key}-{number}.tmp"),
            });
            let batch: Vec<Replacement<'_>> = replacements.collect();
            cancelled = cancelled || !goes_on(done);
            made.extend(make(&batch, cancelled));
            done += batch.len();
        }
        let paths: Vec<&FilePath> = rank.iter().map(|(.., change)| &change.path).collect();
        sync_parents(project, &paths, &mut made);
        for (path, made) in paths.into_iter().zip(made) {
            failed.extend(made.err().map(|error| FailedFile {
                path: path.clone(),
                error,
            }));
        }
    }
    failed
}

/// Makes changes, each once its new content is durable. After a cancel it only finds those that were made
/// before a crash.
fn make(batch: &[Replacement<'_>], cancelled: bool) -> Vec<Result<(), String>> {
    let begun: Vec<_> = batch.iter().map(|it| it.begin(cancelled)).collect();
    let files: Vec<&File> = begun
        .iter()
        .filter_map(|begun| begun.as_ref().ok()?.file())
        .collect();
    let mut synced = sync_all(&files).into_iter();
    let mut made = Vec::with_capacity(batch.len());
    for (replacement, begun) in batch.iter().zip(&begun) {
        made.push(match begun {
            Ok(begun) => {
                let written = begun.file().and_then(|_| synced.next()).unwrap_or(Ok(()));
                replacement.finish(begun, written)
            }
            Err(error) => Err(error.clone()),
        });
    }
    made
}

/// Makes names durable, once for all files of a directory: until the end is recorded, a repetition finds
/// what a power failure has taken back.
fn sync_parents(project: &ProjectDir, paths: &[&FilePath], made: &mut [Result<(), String>]) {
    let parents: Vec<PathBuf> = paths.iter().map(|path| split(path).0).collect();
    // Those that were made, or emptied and removed, are entries of the ones above.
    let changed = parents.iter().zip(&*made).filter(|(_, made)| made.is_ok());
    let above: BTreeSet<&Path> = changed.flat_map(|(path, _)| path.ancestors()).collect();
    let lost = sync_directories(project, &above.into_iter().collect::<Vec<_>>());
    for (made, parent) in made.iter_mut().zip(&parents) {
        let error = lost.iter().find(|(lost, _)| parent.starts_with(lost));
        if let (true, Some((_, error))) = (made.is_ok(), error) {
            *made = Err(error.clone());
        }
    }
}

/// Returns the directories that could not be made durable. Of one that is gone nothing can come back.
fn sync_directories<'a>(project: &ProjectDir, paths: &[&'a Path]) -> Vec<(&'a Path, String)> {
    let mut lost = Vec::new();
    for paths in paths.chunks(BATCH) {
        let (mut opened, mut open) = (Vec::new(), Vec::new());
        for path in paths {
            match project.open_directory(path, OFlags::RDONLY) {
                Ok(directory) => {
                    opened.push(*path);
                    open.push(directory);
                }
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                Err(error) => lost.push((*path, in_words(error))),
            }
        }
        let synced = opened.into_iter().zip(sync_all(&open));
        lost.extend(synced.filter_map(|(path, synced)| Some((path, in_words(synced.err()?)))));
    }
    lost
}

/// Files are written before others are deleted, so that an interrupted restore leaves too much and not
/// too little. A file in the way of one to be written is deleted first: a file that becomes a
/// directory, or the content of a directory that becomes a file.
fn ordered(files: &[FileChange]) -> Vec<(u8, usize, &FileChange)> {
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
    let numbered = files.iter().enumerate();
    let ranked = numbered.map(|(number, change)| (rank(change), number, change));
    let mut ordered: Vec<_> = ranked.collect();
    ordered.sort_by_key(|(rank, ..)| *rank);
    ordered
}

/// The directories that a path is in.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
