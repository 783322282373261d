//! Creating a journal.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Durability, Journal};
use crate::line::seal_header;
use crate::reader::SharedFile;
use crate::seq_allocator::{ContinueAt, PublishedTraces, SeqAllocator};
use crate::storage::{FileId, LogFile, Storage, append_all, if_present, remove_if_present};
use crate::{CreateError, EVENTS, FORMAT, StepError};

impl Journal {
    /// Creates a journal without records in `dir`, whose parent directory exists.
    ///
    /// `header` is a JSON object on one line with `"format":`[`FORMAT`]. When this returns, the
    /// journal is durable; after a crash there is either the whole header or no log file.
    ///
    /// # Errors
    ///
    /// See [`CreateError`]. Nothing is left then, as far as the disk allows.
    pub fn create(
        storage: Arc<dyn Storage>,
        dir: &Path,
        header: Vec<u8>,
        durability: Durability,
    ) -> Result<Self, CreateError> {
        let header = seal_header(header, FORMAT)?.bytes;
        let path = dir.join(EVENTS);
        let known = if_present(storage.status(&path)).map_err(StepError::of("look for a log"))?;
        if known.is_some() {
            return Err(CreateError::Exists);
        }
        storage
            .create_dir(dir)
            .map_err(StepError::of("create the log's directory"))?;
        let (file, id) = write_new(&*storage, dir, &header).inspect_err(|_| {
            remove_unmade(&*storage, dir);
        })?;
        Ok(Self {
            storage,
            dir: dir.to_owned(),
            path,
            shared: SharedFile::new(Arc::clone(&file)),
            file,
            id,
            end: header.len() as u64,
            read_only: None,
            last: None,
            numbers: SeqAllocator::new(PublishedTraces::default(), ContinueAt::LastRecord),
            durability,
            failure: None,
        })
    }
}

/// Writes the log's first line, durably.
fn write_new(
    storage: &dyn Storage,
    dir: &Path,
    header: &[u8],
) -> Result<(Arc<dyn LogFile>, FileId), CreateError> {
    // Written under another name and synced before the rename: the rename may reach the disk before
    // the data does.
    let temporary = temporary(dir);
    remove_if_present(storage, &temporary).map_err(StepError::of("remove an unfinished log"))?;
    let file = storage
        .create_new(&temporary)
        .map_err(StepError::of("create the log"))?;
    append_all(&*file, header).map_err(StepError::of("write the log's header"))?;
    file.sync_data().map_err(StepError::of("sync the log"))?;
    let status = file.status().map_err(StepError::of("look at the log"))?;
    storage
        .rename(&temporary, &dir.join(EVENTS))
        .map_err(StepError::of("name the log"))?;
    sync_names(storage, dir).map_err(StepError::of("sync the log's directory"))?;
    Ok((file, status.id))
}

/// Removes what a failed creation has made: the caller was told that there is no log. What cannot be
/// removed is never read; the first error is the one to report.
fn remove_unmade(storage: &dyn Storage, dir: &Path) {
    let _ = remove_if_present(storage, &temporary(dir));
    let _ = remove_if_present(storage, &dir.join(EVENTS));
    // Fails if the directory was there before, with other files in it.
    let _ = storage.remove_dir(dir);
}

fn temporary(dir: &Path) -> PathBuf {
    dir.join(format!("{EVENTS}.new"))
}

/// Syncs `dir`, for the name of the log, and its parent, for the name of `dir`, which may be new.
fn sync_names(storage: &dyn Storage, dir: &Path) -> io::Result<()> {
    storage.sync_dir(dir)?;
    match dir.parent() {
        Some(parent) if parent != Path::new("") => storage.sync_dir(parent),
        _ => storage.sync_dir(Path::new(".")),
    }
}
