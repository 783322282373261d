//! A project with a session that records the changes to its files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use scorel_files::{CheckpointLimits, FileRecorder, ProjectDir};
use scorel_proto::{
    ChangedBy, ChangedFile, FileChange, FilePath, FileState, RecordedFiles, RestoreAction,
};

/// What a path is: its content or its link, and its mode.
pub(crate) type Snapshot = BTreeMap<PathBuf, (Vec<u8>, u32)>;

pub(crate) struct Project {
    root: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("project")).unwrap();
        fs::create_dir(root.path().join("session")).unwrap();
        Self { root }
    }

    /// A recorder as every daemon makes one.
    pub(crate) fn recorder(&self) -> FileRecorder {
        self.recorder_with(CheckpointLimits::default())
    }

    pub(crate) fn recorder_with(&self, limits: CheckpointLimits) -> FileRecorder {
        let dir = ProjectDir::open(&self.path("")).unwrap();
        FileRecorder::new(dir, &self.session(), limits)
    }

    pub(crate) fn session(&self) -> PathBuf {
        self.root.path().join("session")
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("project").join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        symlink(target, self.path(path)).unwrap();
    }

    pub(crate) fn remove(&self, path: impl AsRef<Path>) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn modified(&self, path: &str) -> (i64, i64) {
        let metadata = self.path(path).symlink_metadata().unwrap();
        (metadata.mtime(), metadata.mtime_nsec())
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut files = Snapshot::new();
        let mut directories = vec![self.path("")];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let metadata = path.symlink_metadata().unwrap();
                let content = if metadata.is_dir() {
                    directories.push(path);
                    continue;
                } else if metadata.is_symlink() {
                    fs::read_link(&path)
                        .unwrap()
                        .as_os_str()
                        .as_bytes()
                        .to_vec()
                } else {
                    fs::read(&path).unwrap()
                };
                files.insert(path, (content, metadata.mode() & 0o777));
            }
        }
        files
    }

    /// Runs `command` as a watched command.
    pub(crate) fn watch(&self, recorder: &FileRecorder, command: impl FnOnce()) -> RecordedFiles {
        self.watch_begins(recorder);
        recorder.command_starts().unwrap();
        command();
        recorder.command_ended()
    }

    /// Begins to watch a command. A walk has a limit of time, which a machine under load can exceed.
    pub(crate) fn watch_begins(&self, recorder: &FileRecorder) {
        let begun = (0..100).find(|_| match recorder.watch_command() {
            Ok(()) => true,
            Err(reason) if reason.contains("takes longer") => false,
            Err(reason) => panic!("{reason}"),
        });
        assert!(begun.is_some(), "listing a few files takes too long");
    }

    /// Runs a shell script in the project.
    pub(crate) fn sh(&self, script: &str) {
        let mut shell = std::process::Command::new("bash");
        let ran = shell.args(["-ec", script]).current_dir(self.path(""));
        assert!(ran.status().unwrap().success(), "{script}");
    }
}

pub(crate) fn path(bytes: impl AsRef<[u8]>) -> FilePath {
    FilePath::from_bytes(bytes.as_ref()).unwrap()
}

pub(crate) fn os(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// What the lane makes of changes: the record of a restore to the states before them.
pub(crate) fn undoing(
    recorder: &FileRecorder,
    changes: &[FileChange],
) -> (Vec<FileChange>, Vec<(FilePath, RestoreAction)>) {
    let (mut files, mut actions) = (Vec::new(), Vec::new());
    for change in changes {
        let file = ChangedFile {
            before: change.before.clone(),
            after: change.after.clone(),
            watched: true,
        };
        let (action, now) = recorder.action(&change.path, &file);
        actions.push((change.path.clone(), action));
        if matches!(action, RestoreAction::Write | RestoreAction::Delete) {
            files.push(FileChange {
                path: change.path.clone(),
                before: now,
                after: change.before.clone(),
                by: ChangedBy::Restore,
            });
        }
    }
    recorder.keep_current(&files).unwrap();
    (files, actions)
}

pub(crate) fn names(recorded: &RecordedFiles) -> Vec<&str> {
    assert_eq!(recorded.unwatched, None);
    recorded.files.iter().map(|it| it.path.as_str()).collect()
}

pub(crate) fn state<'a>(recorded: &'a RecordedFiles, name: &str) -> (&'a FileState, &'a FileState) {
    let mut files = recorded.files.iter();
    let change = files.find(|change| change.path.as_str() == name).unwrap();
    (&change.before, &change.after)
}
