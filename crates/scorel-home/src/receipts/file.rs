use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{
    FileStorage, LogFile, OpenMode, Storage, if_present, open_regular, replace_file,
};

use crate::trusted_file::{self, FileProblem, Trust};
use crate::unix_time::now_ms;

/// Well above what `MAX_RECEIPTS` lines take.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Below this size the file is not compacted.
const REWRITE_FROM: u64 = 1024 * 1024;

/// `receipts.jsonl`: appended to, and rewritten when it has grown or its end is uncertain.
#[derive(Debug)]
pub(super) struct ReceiptsFile {
    path: PathBuf,
    /// The file, if it is known to end with a complete line. `None` after a failed or short write and
    /// after a failed sync: the file is then rewritten before the next append.
    whole: Option<Arc<dyn LogFile>>,
    len: u64,
    rewrite_at: u64,
    /// True if appended lines may not be durable.
    unsynced: bool,
    /// True if a line was damaged, so that a copy is kept before rewriting.
    damaged: bool,
}

impl ReceiptsFile {
    /// Opens the file at `path` and returns its complete lines. A missing file is created by the first
    /// append.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<u8>), FileProblem> {
        let mut bytes = match trusted_file::read(path, MAX_BYTES, Trust::Home)? {
            Some((_, bytes)) => bytes,
            None => Vec::new(),
        };
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let torn = bytes.len() - whole;
        if torn > 0 {
            tracing::warn!(path = %path.display(), offset = whole, bytes = torn,
                "an incomplete last line is skipped");
        }
        bytes.truncate(whole);
        let appendable = torn == 0 && whole > 0;
        let file = Self {
            path: path.to_owned(),
            whole: appendable
                .then(|| FileStorage.open(path, OpenMode::Append).ok())
                .flatten(),
            len: bytes.len() as u64,
            rewrite_at: REWRITE_FROM,
            unsynced: false,
            damaged: false,
        };
        Ok((file, bytes))
    }

    /// Keeps a copy of the file before it is rewritten.
    pub(super) fn mark_damaged(&mut self) {
        self.damaged = true;
    }

    /// Returns whether [`Self::rewrite`] must precede the next [`Self::append`].
    pub(super) fn wants_rewriting(&self) -> bool {
        self.whole.is_none() || self.len >= self.rewrite_at
    }

    /// Replaces the file atomically and durably.
    pub(super) fn rewrite(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.damaged {
            self.keep_aside()?;
        }
        // If replacing fails, the old handle may point to a file without a name: never append to it.
        self.whole = None;
        replace_file(&FileStorage, &self.path, lines)?;
        self.whole = Some(FileStorage.open(&self.path, OpenMode::Append)?);
        self.len = lines.len() as u64;
        self.rewrite_at = REWRITE_FROM.max(self.len * 2);
        self.unsynced = false;
        Ok(())
    }

    /// Copies the file for people to look at: a damaged line may be the only trace of a command.
    fn keep_aside(&mut self) -> io::Result<()> {
        let mut aside = self.path.clone().into_os_string();
        aside.push(format!(".damaged-{}", now_ms()));
        let damaged = open_regular(File::options().read(true), &self.path);
        if let Some(mut damaged) = if_present(damaged)? {
            let mut options = File::options();
            let mut kept = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&aside)?;
            io::copy(&mut damaged, &mut kept)?;
        }
        tracing::warn!(kept = %aside.display(), "a copy of the damaged receipts was kept");
        self.damaged = false;
        Ok(())
    }

    /// Appends a line with one `write`. After a short write the file is rewritten, not appended to.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        // Taken, and put back only after a complete write: every error path leaves `None`.
        let file = self.whole.take().ok_or(io::ErrorKind::NotConnected)?;
        self.unsynced = true;
        let written = file.append(line)?;
        if written < line.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.len += written as u64;
        self.whole = Some(file);
        Ok(())
    }

    pub(super) fn is_synced(&self) -> bool {
        !self.unsynced
    }

    /// Syncs appended lines.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        // After a failed fsync the kernel may have dropped the dirty pages and report success next
        // time, so the file is rewritten instead of synced again.
        let file = self.whole.take().ok_or(io::ErrorKind::NotConnected)?;
        file.sync_data()?;
        self.unsynced = false;
        self.whole = Some(file);
        Ok(())
    }
}
