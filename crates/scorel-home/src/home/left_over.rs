use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::time::SystemTime;

use scorel_journal::is_temporary;

use super::Home;

impl Home {
    /// The time by the clock of the home's file system. That of the process runs ahead of it by up to
    /// a tick of the kernel's timer.
    ///
    /// # Errors
    ///
    /// The home cannot be written.
    pub fn disk_time(&self) -> io::Result<SystemTime> {
        let path = self.root().join(".time.0.tmp");
        // A killed daemon may have left one.
        let _absent = fs::remove_file(&path);
        let written = File::create_new(&path)?.metadata()?.modified();
        fs::remove_file(&path)?;
        written
    }

    /// Removes the temporary files that a killed daemon left: in the home, and in the sessions with
    /// their blobs and recorded files. Files that were written since `started`, by [`Home::disk_time`], are in use.
    /// Blocks on the disk.
    pub fn remove_temporary(&self, started: SystemTime) {
        remove_in(self.root(), started);
        let Ok(sessions) = fs::read_dir(self.sessions()) else {
            return;
        };
        for session in sessions.flatten() {
            if session.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove_in(&session.path(), started);
                remove_in(&session.path().join("blobs"), started);
                remove_in(&session.path().join("files"), started);
            }
        }
    }
}

/// Only tidies up: what cannot be listed or removed stays, and disturbs nothing.
fn remove_in(dir: &Path, started: SystemTime) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_temporary);
        if !is_ours || !is_left_over(&entry, started).unwrap_or(false) {
            continue;
        }
        let path = entry.path();
        match fs::remove_file(&path) {
            Ok(()) => tracing::debug!(path = %path.display(), "an unfinished file was removed"),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "an unfinished file cannot be removed");
            }
        }
    }
}

fn is_left_over(entry: &fs::DirEntry, started: SystemTime) -> io::Result<bool> {
    let metadata = entry.metadata()?;
    let is_ours = metadata.is_file() || metadata.file_type().is_socket();
    Ok(is_ours && metadata.modified()? < started)
}
