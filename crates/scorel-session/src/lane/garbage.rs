use std::io;
use std::time::SystemTime;

use super::Section;
use crate::SessionError;
use crate::garbage::{GarbageFiles, GarbageSearch};

impl Section<'_> {
    /// Looks for what the session keeps needlessly, now that no record can be written, and removes it.
    ///
    /// # Errors
    ///
    /// If the session cannot be written, or the file system refuses.
    pub(crate) fn remove_garbage(&mut self, now: SystemTime) -> Result<GarbageFiles, SessionError> {
        let lane = self.lane;
        self.check_usable()?;
        let mut removed = GarbageFiles::default();
        // A record that names a blob may be about to be written, or wait for the disk.
        if lane.has_job() || lane.storage_stall().is_some() {
            return Ok(removed);
        }
        let storage = &lane.shared.storage;
        let failed = |error: io::Error| SessionError::Filesystem(error.to_string());
        let search = GarbageSearch {
            storage: &**storage,
            dir: &lane.dir,
            blobs: &lane.blobs,
            now,
        };
        let found = search.find().map_err(failed)?;
        for (hash, bytes) in found.blobs {
            if lane.blobs.remove_older(&hash, search.blobs_before())? {
                removed.blobs.push((hash, bytes));
            }
        }
        for (path, bytes) in found.copies {
            storage.remove(&path).map_err(failed)?;
            removed.copies.push((path, bytes));
        }
        Ok(removed)
    }
}
