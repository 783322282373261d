use std::fs::File;
use std::path::Path;

use super::InstallError;
use crate::plugin::is_plugin;
use crate::program::MANIFEST;

/// True if a directory has a manifest that is read.
pub(super) fn is_extension(dir: &Path) -> bool {
    dir.join(MANIFEST).is_file() || is_plugin(dir)
}

/// Makes the names in a directory durable.
pub(super) fn sync(dir: &Path) -> Result<(), InstallError> {
    let synced = File::open(dir).and_then(|dir| dir.sync_all());
    synced.map_err(|error| InstallError::io(dir, error))
}
