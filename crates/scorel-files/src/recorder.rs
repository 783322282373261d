use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::OFlags;
use scorel_proto::{
    ChangedBy, ChangedFile, FailedFile, FileBefore, FileChange, FilePath, FileState, RecordedFiles,
    RestoreAction,
};

use crate::base::Base;
use crate::content_store::ContentStore;
use crate::limits::CheckpointLimits;
use crate::project_dir::{ProjectDir, hash_of, split};
use crate::restore::restore;
use crate::temporary::{remove_left_over, temporary_names};
use crate::walk::below;

/// Records what one session does to the files of its project, and restores them.
#[derive(Debug)]
pub struct FileRecorder {
    project: ProjectDir,
    store: ContentStore,
    base_dir: PathBuf,
    /// Opened for the first command.
    base: Mutex<Option<Base>>,
}

impl FileRecorder {
    /// The recorder of the session whose directory is `session`. Does no I/O.
    pub fn new(project: ProjectDir, session: &Path, limits: CheckpointLimits) -> Self {
        Self {
            project,
            store: ContentStore::new(session, limits),
            base_dir: session.join("base"),
            base: Mutex::default(),
        }
    }
    pub fn set_limits(&self, limits: CheckpointLimits) {
        self.store.set_limits(limits);
    }

    /// The path by which records name the file at `absolute`, whose links are resolved; `None` if it is
    /// outside the project or belongs to git.
    pub fn path_of(&self, absolute: &Path) -> Option<FilePath> {
        below(self.project.path(), absolute).filter(|path| !path.is_git_data())
    }

    /// The state of a file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn observe(&self, path: &FilePath) -> io::Result<FileState> {
        let max = self.store.limits().max_file_bytes;
        Ok(self.project.observe(path, max)?)
    }

    /// The state of a file that a tool is about to change. Its content is durable when this returns.
    ///
    /// # Errors
    ///
    /// It cannot be read, or its content cannot be kept.
    pub fn before(&self, path: FilePath) -> io::Result<FileBefore> {
        let before = self.kept(&path)?;
        Ok(FileBefore { path, before })
    }

    /// The change by a tool that has just given a file this content.
    pub fn written(&self, before: FileBefore, content: &[u8]) -> FileChange {
        let FileBefore { path, before } = before;
        let after = match self.project.mode(&path) {
            Some(mode) if content.len() as u64 <= self.store.limits().max_file_bytes => {
                // Content that cannot be kept expires at once; the file is written all the same.
                let _ = self.store.put(content);
                FileState::File {
                    sha256: hash_of(content),
                    mode,
                }
            }
            _ => FileState::Unknown,
        };
        FileChange {
            path,
            before,
            after,
            by: ChangedBy::Tool,
        }
    }

    /// The change of a file by a tool that was interrupted, if it has made one. Removes the new content that
    /// did not get the file's name.
    pub fn interrupted(&self, before: &FileBefore) -> Option<FileChange> {
        let (parent, name) = split(&before.path);
        if let Ok(parent) = self.project.open_directory(&parent, OFlags::RDONLY) {
            for name in temporary_names(&name) {
                // The next write of the file tries again.
                let _ = remove_left_over(&parent, &name);
            }
        }
        let after = self.kept(&before.path).unwrap_or(FileState::Unknown);
        (!after.is(&before.before)).then(|| FileChange {
            path: before.path.clone(),
            before: before.before.clone(),
            after,
            by: ChangedBy::Tool,
        })
    }
}
impl FileRecorder {
    /// Brings the base up to date before a command.
    ///
    /// # Errors
    ///
    /// Why its changes will not be seen, for people.
    pub fn watch_command(&self) -> Result<(), String> {
        let mut base = self.base();
        let base = match &mut *base {
            Some(base) => base,
            none => {
                let opened = Base::open(&self.base_dir);
                none.insert(opened.map_err(|error| format!("nothing can be copied: {error}"))?)
            }
        };
        base.refresh(&self.project)
    }

    /// The command of [`Self::watch_command`] starts now, and its call is on record:
    /// [`Self::command_ended`] returns its changes, or [`Self::command_interrupted`] in the next daemon.
    ///
    /// # Errors
    ///
    /// Why its changes will not be seen, for people.
    pub fn command_starts(&self) -> Result<(), String> {
        match &*self.base() {
            Some(base) => base.mark_open(),
            None => Err("the copies of the files are gone".to_owned()),
        }
    }

    /// The files that have changed since [`Self::watch_command`].
    pub fn command_ended(&self) -> RecordedFiles {
        match &mut *self.base() {
            Some(base) => base.compare(&self.project, &self.store),
            None => RecordedFiles::default(),
        }
    }

    /// The changes of the command that was watched when the last daemon ended; `None` if none was.
    pub fn command_interrupted(&self) -> Option<RecordedFiles> {
        let mut base = self.base();
        if base.is_some() || !Base::is_left_open(&self.base_dir) {
            return None;
        }
        match Base::open(&self.base_dir) {
            Ok(opened) => Some(base.insert(opened).compare(&self.project, &self.store)),
            Err(error) => Some(RecordedFiles {
                files: Vec::new(),
                unwatched: Some(format!("the copy of the files cannot be read: {error}")),
            }),
        }
    }

    /// Forgets what the files were, while no command runs.
    pub fn forget_base(&self) {
        *self.base() = None;
        Base::remove(&self.base_dir);
    }

    fn base(&self) -> MutexGuard<'_, Option<Base>> {
        self.base.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
impl FileRecorder {
    /// The action that gives a file its state `before`, and the state that the file has. A file that cannot be
    /// read may have any.
    pub fn action(&self, path: &FilePath, file: &ChangedFile) -> (RestoreAction, FileState) {
        let now = self.observe(path).unwrap_or(FileState::Unknown);
        let wanted = &file.before;
        let is_kept = wanted.content().is_none_or(|hash| self.store.has(hash));
        let action = if now.is(wanted) {
            RestoreAction::None
        } else if *wanted == FileState::Unknown || !is_kept {
            RestoreAction::Unknown
        } else if !now.is(&file.after) {
            RestoreAction::Conflict
        } else if *wanted == FileState::Absent {
            RestoreAction::Delete
        } else {
            RestoreAction::Write
        };
        (action, now)
    }

    /// Keeps the content that files have now, durably, so that a restore of them can be undone, and what
    /// the restore needs.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or its content cannot be kept.
    pub fn keep_current(&self, files: &[FileChange]) -> io::Result<()> {
        let max = self.store.limits().max_file_bytes;
        for hash in files.iter().filter_map(|change| change.after.content()) {
            self.store.touch(hash)?;
        }
        let mut batch = self.store.batch();
        for change in files {
            if let (_, Some(content)) = self.project.observe_content(&change.path, max)? {
                batch.add(&content)?;
            }
        }
        batch.finish()
    }

    /// Gives each file its state `after`, unless it has neither that nor its state `before`. Can be
    /// repeated. `key` is part of the names of temporary files, and must be the same in a repetition.
    ///
    /// Every few files `goes_on` is asked, with the number of files that are done. After `false` the others
    /// are left as they are, and count as failed.
    pub fn restore(
        &self,
        key: &str,
        files: &[FileChange],
        goes_on: impl FnMut(usize) -> bool,
    ) -> Vec<FailedFile> {
        restore(&self.project, &self.store, key, files, goes_on)
    }

    fn kept(&self, path: &FilePath) -> io::Result<FileState> {
        let max = self.store.limits().max_file_bytes;
        let (state, content) = self.project.observe_content(path, max)?;
        if let Some(content) = content {
            self.store.put(&content)?;
        }
        Ok(state)
    }
}
