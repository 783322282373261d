use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use scorel_proto::ConfigProblem;

use super::cached_file::FileNews;
use super::key::is_read_at_start;

/// Files with unpublished changes. The number of cached files bounds it too; a change beyond the limit
/// is not published.
const MAX_FILES: usize = 512;

/// The changes that are not published yet, one entry per file: a later change is merged into it.
#[derive(Debug, Default)]
pub(super) struct PendingNews {
    generation: u64,
    files: BTreeMap<PathBuf, PendingFile>,
}

#[derive(Debug, Default)]
struct PendingFile {
    /// The project's directory; `None` for the user's file.
    project: Option<PathBuf>,
    /// The keys that changed; `None` if the same content is in effect as before.
    keys: Option<Vec<String>>,
    removed: bool,
    judged: bool,
    problem: Option<ConfigProblem>,
}

/// News of a configuration file: a change, a problem, or both.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigNews {
    /// The project's directory; `None` for the user's file.
    pub project: Option<PathBuf>,
    /// `None` if the same content is in effect as before.
    pub change: Option<ConfigChange>,
    /// Why the file's content is not in effect; `None` if that was reported before.
    pub problem: Option<ConfigProblem>,
}

/// New content is in effect, or the file is valid again with the content that stayed in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigChange {
    pub generation: u64,
    pub keys: Vec<String>,
    pub(crate) restart_needed: bool,
    pub removed: bool,
}

impl PendingNews {
    pub(crate) const fn generation(&self) -> u64 {
        self.generation
    }

    /// Counts a change that no file of the configuration made: of secrets.
    pub(crate) const fn count(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }

    /// Merges the result of reading a file. Returns whether there is something to publish.
    pub(crate) fn note(
        &mut self,
        path: &Path,
        project: Option<&Path>,
        news: FileNews,
        problem: Option<&ConfigProblem>,
    ) -> bool {
        if !news.is_any() || (self.files.len() >= MAX_FILES && !self.files.contains_key(path)) {
            return false;
        }
        let file = self.files.entry(path.to_owned()).or_default();
        file.project = project.map(Path::to_owned);
        if let Some(keys) = news.keys {
            self.generation += 1;
            let known = file.keys.get_or_insert_default();
            known.extend(keys);
            known.sort_unstable();
            known.dedup();
            file.removed = news.removed;
        }
        file.judged |= news.judged;
        file.problem = problem.cloned();
        true
    }

    pub(crate) fn take(&mut self) -> Vec<ConfigNews> {
        let generation = self.generation;
        let files = std::mem::take(&mut self.files);
        files
            .into_values()
            .map(|file| file.told(generation))
            .collect()
    }
}

impl PendingFile {
    fn told(self, generation: u64) -> ConfigNews {
        let is_valid_again = self.judged && self.problem.is_none();
        let change = |keys: Vec<String>| ConfigChange {
            generation,
            restart_needed: keys.iter().any(|key| is_read_at_start(key)),
            keys,
            removed: self.removed,
        };
        ConfigNews {
            project: self.project,
            change: self
                .keys
                .or_else(|| is_valid_again.then(Vec::new))
                .map(change),
            problem: self.problem.filter(|_| self.judged),
        }
    }
}
