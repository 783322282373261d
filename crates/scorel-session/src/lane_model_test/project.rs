//! A project directory whose files the tool `write` changes.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_files::{CheckpointLimits, FileRecorder, ProjectDir};
use scorel_proto::{FilePath, RecordedFiles};
use tempfile::TempDir;

use super::observed::{labels, text};
use super::reference::Label;

#[derive(Debug)]
pub(super) struct Project {
    root: TempDir,
    recorder: Arc<FileRecorder>,
}

impl Project {
    pub(super) fn new() -> Self {
        let root = tempfile::tempdir().expect("a directory");
        for name in ["project", "session"] {
            fs::create_dir(root.path().join(name)).expect("writable");
        }
        let dir = ProjectDir::open(&root.path().join("project")).expect("a directory");
        let session = root.path().join("session");
        let recorder = FileRecorder::new(dir, &session, CheckpointLimits::default());
        Self {
            root,
            recorder: Arc::new(recorder),
        }
    }

    pub(super) fn recorder(&self) -> Arc<FileRecorder> {
        Arc::clone(&self.recorder)
    }

    /// A tool gives a file another content.
    pub(super) fn write(&self, name: &str, label: Label) -> RecordedFiles {
        let path = FilePath::from_bytes(name.as_bytes()).expect("a path");
        let before = self.recorder.before(path).expect("readable");
        let content = text(label);
        fs::write(self.path(name), &content).expect("writable");
        RecordedFiles {
            files: vec![self.recorder.written(before, content.as_bytes())],
            unwatched: None,
        }
    }

    /// What a file says, if there is one.
    pub(super) fn read(&self, name: &str) -> Option<Label> {
        let content = fs::read_to_string(self.path(name)).ok()?;
        Some(labels(&content)[0])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("project").join(name)
    }
}
