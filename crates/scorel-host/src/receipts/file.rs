use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{Access, FileStorage, LogFile, Storage, replace_file};

use crate::trusted_file::{self, FileProblem, Trust};
use crate::unix_time::now_ms;

/// Room for far more receipts than there may be.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A shorter file is not worth rewriting.
const REWRITE_FROM: u64 = 1024 * 1024;

/// The file with the receipts.
#[derive(Debug)]
pub(super) struct ReceiptsFile {
    path: PathBuf,
    /// The file, if it is known to end with a whole line. Otherwise it is rewritten before the next
    /// line is added.
    whole: Option<Arc<dyn LogFile>>,
    len: u64,
    rewrite_at: u64,
    /// Whether lines were added, or were to be, that are not durable yet.
    unsynced: bool,
    /// Whether there is something in it that was not understood.
    damaged: bool,
}

impl ReceiptsFile {
    /// Opens the file at `path` and gives the whole lines of it. A missing
    /// file is an empty one, which is made when the first line is added.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<u8>), FileProblem> {
        let mut bytes = match trusted_file::read(path, MAX_BYTES, Trust::Ours)? {
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
                "an unfinished last line is left out");
        }
        bytes.truncate(whole);
        let appendable = torn == 0 && whole > 0;
        let file = Self {
            path: path.to_owned(),
            whole: appendable
                .then(|| FileStorage.open(path, Access::Append).ok())
                .flatten(),
            len: bytes.len() as u64,
            rewrite_at: REWRITE_FROM,
            unsynced: false,
            damaged: false,
        };
        Ok((file, bytes))
    }

    /// Notes that not everything in the file was understood, so that it is kept.
    pub(super) fn is_damaged(&mut self) {
        self.damaged = true;
    }

    /// Whether [`Self::rewrite`] comes before the next [`Self::append`].
    pub(super) fn wants_rewriting(&self) -> bool {
        self.whole.is_none() || self.len >= self.rewrite_at
    }

    /// Replaces everything; what comes in `lines` is durable when this returns.
    pub(super) fn rewrite(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.damaged {
            self.keep_aside()?;
        }
        self.whole = None;
        replace_file(&FileStorage, &self.path, lines)?;
        self.whole = Some(FileStorage.open(&self.path, Access::Append)?);
        self.len = lines.len() as u64;
        self.rewrite_at = REWRITE_FROM.max(self.len * 2);
        self.unsynced = false;
        Ok(())
    }

    /// What was not understood may matter to somebody.
    fn keep_aside(&mut self) -> io::Result<()> {
        let mut aside = self.path.clone().into_os_string();
        aside.push(format!(".damaged-{}", now_ms()));
        match fs::copy(&self.path, &aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        tracing::warn!(kept = %aside.display(), "the damaged receipts are kept aside");
        self.damaged = false;
        Ok(())
    }

    /// Adds a line with one system call.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
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

    /// Whether everything that was to be added is durable.
    pub(super) fn is_synced(&self) -> bool {
        !self.unsynced
    }

    /// Makes durable what was added.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        // After a failed sync nobody knows what the file holds.
        let file = self.whole.take().ok_or(io::ErrorKind::NotConnected)?;
        file.sync_data()?;
        self.unsynced = false;
        self.whole = Some(file);
        Ok(())
    }
}
