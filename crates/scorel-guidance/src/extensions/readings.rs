use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use scorel_extension::program::{MANIFEST, Manifest};
use scorel_extension::{ExtensionId, Problem};
use scorel_home::trusted_file::{self, Trust};
use scorel_plugin::{PluginReading, is_plugin};
use scorel_proto::ErrorChain;

use super::content::{ExtensionContent, ExtensionReading};
use crate::trust::ListedFile;

/// Directories that are remembered. Beyond that all are read once more.
const MAX: usize = 1024;

/// Bytes of a manifest of ours that are read.
const MAX_MANIFEST: u64 = 1024 * 1024;

/// The extensions as they were read last. One whose files have the same stamps is not read again, because every
/// turn looks at all of them.
#[derive(Debug, Default)]
pub(super) struct Readings(Mutex<HashMap<PathBuf, KnownReading>>);

#[derive(Debug, Clone)]
struct KnownReading {
    /// `None` while a change could keep them.
    stamps: Option<Vec<ListedFile>>,
    /// The manifest of ours.
    text: String,
    reading: Arc<ExtensionReading>,
}

impl Readings {
    /// The extension in a directory. Reads its files if they are others than before; blocks.
    pub(super) fn of(&self, dir: &Path, id: &ExtensionId, trust: Trust) -> Arc<ExtensionReading> {
        self.at(dir, id, trust, SystemTime::now())
    }

    fn at(
        &self,
        dir: &Path,
        id: &ExtensionId,
        trust: Trust,
        now: SystemTime,
    ) -> Arc<ExtensionReading> {
        let is_ours = dir.join(MANIFEST).symlink_metadata().is_ok();
        if !is_ours && !is_plugin(dir) {
            return Arc::default();
        }
        // Held while files are read: two turns that begin at once would have a program each.
        let mut known = self.lock();
        let before = known.get(dir).cloned();
        let stamps = stamps(dir, is_ours);
        if let Some(before) = &before
            && before.stamps.is_some()
            && before.stamps == stamps
        {
            return Arc::clone(&before.reading);
        }
        let (text, reading) = match is_ours {
            true => program(dir, id, trust, before),
            false => (String::new(), Arc::new(plugin(dir, id))),
        };
        // A file that has just changed may change again and keep its stamp.
        let stamps = stamps.filter(|all| all.iter().all(|it| it.stamp.is_settled_at(now)));
        if known.len() >= MAX {
            known.clear();
        }
        let read = KnownReading {
            stamps,
            text,
            reading: Arc::clone(&reading),
        };
        known.insert(dir.to_owned(), read);
        reading
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, KnownReading>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stamps of all that is read of an extension.
fn stamps(dir: &Path, is_ours: bool) -> Option<Vec<ListedFile>> {
    if !is_ours {
        return ListedFile::below(dir).ok();
    }
    let file = dir.join(MANIFEST);
    let metadata = fs::metadata(&file).ok()?;
    let listed = ListedFile::of(file, MANIFEST.to_owned(), &metadata).ok()?;
    Some(vec![listed])
}

/// The manifest of ours in a directory, with its text. A broken one leaves the one before in use.
fn program(
    dir: &Path,
    id: &ExtensionId,
    trust: Trust,
    before: Option<KnownReading>,
) -> (String, Arc<ExtensionReading>) {
    let file = dir.join(MANIFEST);
    let read = trusted_file::read(&file, MAX_MANIFEST, trust);
    let read = read.map_err(|problem| vec![Problem::new(ErrorChain(&problem).to_string())]);
    let text = read.map(|read| {
        let bytes = read.map(|(_, bytes)| bytes).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    // The same text is the same manifest, whose program goes on.
    if let (Ok(text), Some(before)) = (&text, &before)
        && before.text == *text
    {
        return (before.text.clone(), Arc::clone(&before.reading));
    }
    let manifest = text.as_ref().map_err(Clone::clone);
    let manifest = manifest.and_then(|text| Manifest::read(text, Some(id.as_str())));
    let reading = match manifest {
        Ok(manifest) => ExtensionReading {
            content: ExtensionContent::Program(Some(Arc::new(manifest))),
            problems: Vec::new(),
        },
        Err(problems) => {
            let last = before.and_then(|before| before.reading.manifest().cloned());
            let problems = problems.iter().map(|it| format!("{MANIFEST}: {it}"));
            ExtensionReading {
                content: ExtensionContent::Program(last),
                problems: problems.collect(),
            }
        }
    };
    for problem in &reading.problems {
        tracing::warn!(dir = %dir.display(), problem, "an extension is not read as it is");
    }
    (text.unwrap_or_default(), Arc::new(reading))
}

fn plugin(dir: &Path, id: &ExtensionId) -> ExtensionReading {
    let PluginReading { plugin, problems } = PluginReading::of(dir, Some(id));
    ExtensionReading {
        content: ExtensionContent::Plugin(plugin.map(Arc::new)),
        problems: problems.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests;
