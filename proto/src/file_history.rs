//! The fold of the changes of files.

use std::collections::BTreeMap;

use crate::{EventId, FileChange, FilePath, FileState, PersistentBody, PersistentEvent};

/// The effects on files of a session's records from some point on, folded in the order of the log.
///
/// The disk is linear though the conversation is a tree: all records count, on whatever branch they
/// are. The state of a file before the point is the `before` of its first change, and its state now
/// is the `after` of its last one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileHistory {
    files: BTreeMap<FilePath, ChangedFile>,
    restore: Option<FoldedRestore>,
}

/// The restore that was folded last.
#[derive(Debug, Clone, PartialEq)]
struct FoldedRestore {
    event_id: EventId,
    /// Its files, as they were without it.
    before: Vec<(FilePath, Option<ChangedFile>)>,
}

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its state before the first change.
    pub before: FileState,
    /// Its state after the last change.
    pub after: FileState,
    /// True if a change was found by comparing files, and may be another program's.
    pub watched: bool,
}

impl PersistentBody {
    /// The changes of files that the event records.
    pub fn file_changes(&self) -> &[FileChange] {
        match self {
            Self::Message(body) => &body.files,
            Self::RunnerExit(body) => &body.files,
            _ => self.restored_files().unwrap_or_default(),
        }
    }

    /// Why there may be more changes of files than [`Self::file_changes`].
    pub fn unwatched(&self) -> Option<&str> {
        match self {
            Self::Message(body) => body.unwatched.as_deref(),
            Self::RunnerExit(body) => body.unwatched.as_deref(),
            _ => None,
        }
    }

    /// The files that the event restores; `None` if it is not the record of a restore.
    pub fn restored_files(&self) -> Option<&[FileChange]> {
        let files = match self {
            Self::Rewind(body) => &body.files,
            Self::Branch(body) => &body.files,
            Self::FilesRestore(body) => &body.files,
            _ => return None,
        };
        (!files.is_empty()).then_some(files)
    }
}

impl FileHistory {
    /// Folds the next record. Events that a clone copied changed another session's files.
    pub fn apply(&mut self, event: &PersistentEvent) {
        if event.origin.is_some() {
            return;
        }
        if let PersistentBody::FilesRestored(body) = &event.body {
            let failed: Vec<&FilePath> = body.failed.iter().map(|file| &file.path).collect();
            self.take_back(body.event_id, &failed);
            return;
        }
        let changes = event.body.file_changes();
        if event.body.restored_files().is_some() {
            let known = |change: &FileChange| {
                let path = change.path.clone();
                let before = self.files.get(&path).cloned();
                (path, before)
            };
            self.restore = Some(FoldedRestore {
                event_id: event.id,
                before: changes.iter().map(known).collect(),
            });
        }
        for change in changes {
            self.changed(change);
        }
    }

    /// The changed files, by path.
    pub fn files(&self) -> impl Iterator<Item = (&FilePath, &ChangedFile)> {
        self.files.iter()
    }

    fn changed(&mut self, change: &FileChange) {
        let file = self.files.entry(change.path.clone());
        let file = file.or_insert_with(|| ChangedFile {
            before: change.before.clone(),
            after: change.after.clone(),
            watched: false,
        });
        file.after = change.after.clone();
        file.watched |= change.by.is_watched();
    }

    /// Forgets the changes that a restore recorded and could not make.
    fn take_back(&mut self, restore: EventId, failed: &[&FilePath]) {
        let folded = self.restore.take();
        let Some(folded) = folded.filter(|folded| folded.event_id == restore) else {
            return;
        };
        for (path, before) in folded.before {
            if failed.contains(&&path) {
                match before {
                    Some(before) => self.files.insert(path, before),
                    None => self.files.remove(&path),
                };
            }
        }
    }
}
