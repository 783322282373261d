use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_extension::program::{MANIFEST, Manifest};
use scorel_home::trusted_file::{self, Trust};
use scorel_proto::ErrorChain;

use super::manifests::Manifests;

/// Extensions of one directory that are looked at.
const MAX_EXTENSIONS: usize = 1_000;

/// Bytes of a manifest that are read.
const MAX_BYTES: u64 = 1024 * 1024;

/// An extension that has a manifest of ours.
#[derive(Debug, Clone)]
pub(super) struct FoundExtension {
    /// The name of its directory.
    pub(super) id: String,
    pub(super) dir: PathBuf,
    /// The last one that could be read.
    pub(super) manifest: Option<Arc<Manifest>>,
}

impl FoundExtension {
    /// Those below a directory, by id. Reads files; blocks.
    pub(super) fn below(directory: &Path, manifests: &Manifests) -> Vec<Self> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let dirs = entries.take(MAX_EXTENSIONS).map(|entry| entry.path());
        let mut found: Vec<_> = dirs.filter_map(|dir| Self::at(dir, manifests)).collect();
        found.sort_by(|one, other| one.id.cmp(&other.id));
        found
    }

    /// The one in a directory; `None` if it has no such manifest.
    pub(super) fn at(dir: PathBuf, manifests: &Manifests) -> Option<Self> {
        let id = dir.file_name()?.to_string_lossy().into_owned();
        let read = trusted_file::read(&dir.join(MANIFEST), MAX_BYTES, Trust::Ours);
        let manifest = match read {
            Ok(None) => return None,
            Ok(Some((_, bytes))) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                manifests.read(&dir, text)
            }
            Err(problem) => {
                tracing::warn!(extension = id, problem = %ErrorChain(&problem), "not read");
                None
            }
        };
        Some(Self { id, dir, manifest })
    }
}
