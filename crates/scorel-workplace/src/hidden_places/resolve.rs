//! Places without links.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Resolves places, looking up each directory once: a table of two hundred places costs one system
/// call for most of them.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    directories: HashMap<PathBuf, Option<PathBuf>>,
}

impl Resolver {
    /// The place with links in its directory resolved and, if it is a link itself, what that leads to.
    /// Nothing if its directory does not exist: then nothing is there to be seen.
    pub(super) fn resolve(&mut self, place: &Path) -> Vec<PathBuf> {
        let (Some(directory), Some(name)) = (place.parent(), place.file_name()) else {
            return place.canonicalize().into_iter().collect();
        };
        let known = self.directories.entry(directory.to_owned());
        let Some(directory) = known.or_insert_with(|| directory.canonicalize().ok()) else {
            return Vec::new();
        };
        let real = directory.join(name);
        let is_link = real.symlink_metadata().is_ok_and(|it| it.is_symlink());
        let target = is_link.then(|| real.canonicalize().ok()).flatten();
        [real].into_iter().chain(target).collect()
    }
}
