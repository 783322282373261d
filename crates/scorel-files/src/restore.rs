//! Restoring files to the states in a record.
//!
//! Every step can be repeated: a restore that was interrupted anywhere is carried out again from its
//! record, and finds the files at the state before or at the one after. A file at neither was changed by
//! another program and is left alone.

mod replace;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
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
        for batch in rank.chunks(BATCH) {
            let replacements = batch.iter().map(|(_, number, change)| Replacement {
                project,
                store,
                change,
                temporary: format!(".scorel-{key}-{number}.tmp"),
            });
            let batch: Vec<Replacement<'_>> = replacements.collect();
            cancelled = cancelled || !goes_on(done);
            let made = make(project, &batch, cancelled);
            done += batch.len();
            for (replacement, made) in batch.iter().zip(made) {
                failed.extend(made.err().map(|error| FailedFile {
                    path: replacement.change.path.clone(),
                    error,
                }));
            }
        }
    }
    failed
}

/// Makes changes durable: first the new contents, then their names. After a cancel it only finds those
/// that were made before a crash.
fn make(
    project: &ProjectDir,
    batch: &[Replacement<'_>],
    cancelled: bool,
) -> Vec<Result<(), String>> {
    let begun: Vec<_> = batch.iter().map(|it| it.begin(cancelled)).collect();
    let files: Vec<&File> = begun
        .iter()
        .filter_map(|begun| begun.as_ref().ok()?.file())
        .collect();
    let mut synced = sync_all(&files).into_iter();
    let mut made: Vec<Result<(), String>> = Vec::new();
    for (replacement, begun) in batch.iter().zip(&begun) {
        made.push(match begun {
            Ok(begun) => {
                let written = begun.file().and_then(|_| synced.next()).unwrap_or(Ok(()));
                replacement.finish(begun, written)
            }
            Err(error) => Err(error.clone()),
        });
    }
    let parents = batch.iter().map(|it| split(&it.change.path).0);
    let parents: Vec<PathBuf> = parents.collect();
    let held = parents.iter().zip(&begun);
    let held = held.filter_map(|(path, begun)| Some((&**path, begun.as_ref().ok()?.parent()?)));
    let held: BTreeMap<&Path, &OwnedFd> = held.collect();
    // Those that were made, or emptied and removed, are entries of the ones above.
    let above = parents.iter().flat_map(|it| it.ancestors());
    let above: BTreeSet<&Path> = above.filter(|path| !held.contains_key(path)).collect();
    let mut lost = sync_directories(project, &above.into_iter().collect::<Vec<_>>());
    let (paths, open): (Vec<&Path>, Vec<&OwnedFd>) = held.into_iter().unzip();
    lost.extend(not_synced(paths, &open));
    for (made, parent) in made.iter_mut().zip(&parents) {
        let error = lost.iter().find(|(lost, _)| parent.starts_with(lost));
        if let (true, Some((_, error))) = (made.is_ok(), error) {
            *made = Err(error.clone());
        }
    }
    made
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
        lost.extend(not_synced(opened, &open));
    }
    lost
}

/// Syncs open directories, and returns those that are not durable.
fn not_synced<'a, F: AsFd + Sync>(
    paths: Vec<&'a Path>,
    open: &[F],
) -> impl Iterator<Item = (&'a Path, String)> + use<'a, F> {
    let synced = paths.into_iter().zip(sync_all(open));
    synced.filter_map(|(path, synced)| Some((path, in_words(synced.err()?))))
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
