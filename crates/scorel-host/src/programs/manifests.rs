use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use scorel_extension::Problem;
use scorel_extension::program::{MANIFEST, Manifest};

/// Manifests that are remembered. Beyond that they are read anew.
const MAX: usize = 1024;

/// The manifests as they were read last: a text that stays is not parsed again, and a broken one leaves the one
/// before in use.
#[derive(Debug, Default)]
pub(super) struct Manifests(Mutex<HashMap<PathBuf, ReadManifest>>);

/// A manifest, and what is wrong in its file now.
#[derive(Debug)]
struct ReadManifest {
    text: String,
    /// The last one that could be read.
    manifest: Option<Arc<Manifest>>,
    problems: Vec<Problem>,
}

impl Manifests {
    /// The mistakes in the manifest of a directory, as it was read last.
    pub(super) fn problems(&self, dir: &Path) -> Vec<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = known.get(dir).into_iter();
        read.flat_map(|read| &read.problems)
            .map(ToString::to_string)
            .collect()
    }

    /// The manifest in the directory `dir`, whose file has this text: the last one that could be read.
    pub(super) fn read(&self, dir: &Path, text: String) -> Option<Arc<Manifest>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.get(dir);
        if let Some(before) = before.filter(|before| before.text == text) {
            return before.manifest.clone();
        }
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        let read = match Manifest::read(&text, Some(&name)) {
            Ok(manifest) => ReadManifest {
                text,
                manifest: Some(Arc::new(manifest)),
                problems: Vec::new(),
            },
            Err(problems) => ReadManifest {
                text,
                manifest: before.and_then(|before| before.manifest.clone()),
                problems,
            },
        };
        if known.len() >= MAX {
            known.clear();
        }
        for problem in &read.problems {
            let file = dir.join(MANIFEST);
            tracing::warn!(file = %file.display(), %problem, "an extension is not read as it is");
        }
        let manifest = read.manifest.clone();
        known.insert(dir.to_owned(), read);
        manifest
    }
}
