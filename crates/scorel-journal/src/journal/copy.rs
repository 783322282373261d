//! Recovery by copy: continuing in a new file after the old one has failed.

use std::path::Path;
use std::sync::Arc;

use super::Journal;
use super::torn::copy_range;
use crate::report::ReplayCollector;
use crate::storage::{FileStatus, LogFile, remove_if_present};
use crate::{CopyError, EVENTS, LogHeader, StepError};

impl Journal {
    /// Copies all published records to a new file, syncs and verifies it, renames it over the old one
    /// and goes on there. Offsets and readers stay valid. Does nothing unless the journal has failed.
    ///
    /// A file whose `fdatasync` failed must not be synced again: the kernel has dropped the error and
    /// possibly the dirty pages, and would report success. Bytes read back from the old file may
    /// exist in the page cache only, but in the copy all of them are dirty, so syncing that means
    /// something.
    ///
    /// # Errors
    ///
    /// See [`CopyError`]. The journal stays failed, and this may be tried again.
    pub fn recover_by_copy(&mut self) -> Result<(), CopyError> {
        if self.failure.is_none() {
            return Ok(());
        }
        self.check_unchanged(None)?;
        let temporary = self.dir.join(format!("{EVENTS}.copy"));
        let (file, status) = match self.copy_to(&temporary) {
            Ok(file) => file,
            Err(error) => {
                // The first error is the one to report.
                let _ = remove_if_present(&*self.storage, &temporary);
                return Err(error);
            }
        };
        self.storage
            .rename(&temporary, &self.path)
            .map_err(StepError::of("replace the log"))?;
        // From here on the path names the copy: switch to it even if the directory sync fails, or the
        // next attempt would take the copy for a foreign file.
        self.id = status.id;
        self.shared.set(Arc::clone(&file));
        self.file = file;
        self.storage
            .sync_dir(&self.dir)
            .map_err(StepError::of("sync the log's directory"))?;
        self.failure = None;
        Ok(())
    }

    fn copy_to(&self, path: &Path) -> Result<(Arc<dyn LogFile>, FileStatus), CopyError> {
        remove_if_present(&*self.storage, path)
            .map_err(StepError::of("remove an unfinished copy"))?;
        let copy = self
            .storage
            .create_new(path)
            .map_err(StepError::of("create a copy"))?;
        copy_range(&*self.file, &*copy, 0, self.end).map_err(StepError::of("copy the log"))?;
        copy.sync_data().map_err(StepError::of("sync the copy"))?;
        self.verify(&copy)?;
        let status = copy.status().map_err(StepError::of("look at the copy"))?;
        Ok((copy, status))
    }

    /// Returns whether the copy holds as many intact records as were published, and ends with the same one.
    fn verify(&self, copy: &Arc<dyn LogFile>) -> Result<(), CopyError> {
        let header = LogHeader::read(copy, self.end).map_err(|_| CopyError::Incomplete)?;
        let mut collector = ReplayCollector::from_start(&header);
        let read = collector.collect(copy, self.end, &mut |_| {});
        if read.is_err() || collector.last != self.last {
            return Err(CopyError::Incomplete);
        }
        Ok(())
    }
}
