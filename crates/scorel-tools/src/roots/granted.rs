//! Paths outside the roots that the permit of a call grants.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::io::Errno;
use scorel_engine::{Effect, Permit};

use crate::root::{Root, RootUse};

/// A granted path. Its root is opened when it is first used.
#[derive(Debug, Clone)]
pub(super) struct GrantedPath {
    path: PathBuf,
    used_for: RootUse,
    root: OnceLock<Result<Root, Errno>>,
}

impl GrantedPath {
    /// The paths among the granted effects of a permit.
    pub(super) fn of(permit: &Permit) -> Vec<Self> {
        let paths = permit.granted.iter().filter_map(|effect| match effect {
            Effect::ReadPath { path } => Some((path, RootUse::Reading)),
            Effect::WritePath { path, .. } => Some((path, RootUse::Writing)),
            _ => None,
        });
        paths
            .map(|(path, used_for)| Self {
                path: path.clone(),
                used_for,
                root: OnceLock::new(),
            })
            .collect()
    }

    /// Returns whether it grants this use of an absolute path.
    pub(super) fn covers(&self, path: &Path, used_for: RootUse) -> bool {
        self.used_for == used_for
            && match used_for {
                RootUse::Reading => path.starts_with(&self.path),
                RootUse::Writing => path == self.path,
            }
    }

    /// Its root; resolves as `like` does.
    pub(super) fn root(&self, like: &Root) -> Result<&Root, Errno> {
        let opened = self
            .root
            .get_or_init(|| Root::granted(&self.path, self.used_for, like));
        opened.as_ref().map_err(|error| *error)
    }
}
