use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use scorel_home::{StateError, StateFile};
use scorel_provider::{EndpointId, ListedModel, ModelFacts};

use super::lists_file::{ListsFile, StoredList};

/// After how long an endpoint that was asked in the background is asked again.
const ASK_AGAIN_MS: u64 = 10 * 60 * 1000;

/// What endpoints listed, kept in `models.json` so that turns need not ask.
///
/// The file is read once, by the first use, on a blocking thread. Only the daemon writes it.
#[derive(Debug)]
pub(super) struct ModelLists {
    stored: StateFile<ListsFile>,
    file: OnceLock<Mutex<KeptFile>>,
    /// When an endpoint was last asked in the background, in milliseconds since 1970.
    asked: Mutex<HashMap<EndpointId, u64>>,
}

#[derive(Debug)]
struct KeptFile {
    lists: ListsFile,
    /// True if the file belongs to a newer program, which is not to lose it.
    foreign: bool,
}

impl ModelLists {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            stored: StateFile::new(path),
            file: OnceLock::new(),
            asked: Mutex::default(),
        }
    }

    /// What the endpoint listed about a model. Reads the file.
    pub(super) fn facts(&self, endpoint: &EndpointId, id: &str) -> Option<ModelFacts> {
        self.kept().lists.list(endpoint.as_str())?.facts(id)
    }

    /// What the endpoint listed, and when in milliseconds since 1970. Reads the file.
    pub(super) fn list(&self, endpoint: &EndpointId) -> Option<(u64, Vec<ListedModel>)> {
        let kept = self.kept();
        let list = kept.lists.list(endpoint.as_str())?;
        Some((list.listed_at, list.models().collect()))
    }

    /// Keeps what endpoints listed just now. Writes the file; if that fails, the lists hold until the
    /// daemon ends.
    pub(super) fn keep(&self, now_ms: u64, listed: Vec<(EndpointId, Vec<ListedModel>)>) {
        if listed.is_empty() {
            return;
        }
        let mut kept = self.kept();
        for (endpoint, models) in listed {
            let list = StoredList::new(now_ms, &models);
            kept.lists.insert(endpoint.to_string(), list);
        }
        if kept.foreign {
            return;
        }
        if let Err(error) = self.stored.replace(&kept.lists) {
            tracing::warn!(%error, "lists of models cannot be kept");
        }
    }

    /// Returns whether an endpoint is to be asked in the background now. Says so once for a while.
    pub(super) fn begin_asking(&self, endpoint: &EndpointId, now_ms: u64) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let last = asked.get(endpoint).copied();
        let due = last.is_none_or(|last| now_ms.saturating_sub(last) >= ASK_AGAIN_MS);
        if due {
            // Endpoints are few, but the configuration may change often.
            asked.retain(|_, last| now_ms.saturating_sub(*last) < ASK_AGAIN_MS);
            asked.insert(endpoint.clone(), now_ms);
        }
        due
    }

    fn kept(&self) -> MutexGuard<'_, KeptFile> {
        let file = self.file.get_or_init(|| Mutex::new(self.read()));
        file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file that cannot be used is replaced by the next list.
    fn read(&self) -> KeptFile {
        let read = self.stored.read();
        if let Err(error) = &read {
            tracing::warn!(%error, "the lists of models are made again");
        }
        KeptFile {
            foreign: matches!(read, Err(StateError::Newer { .. })),
            lists: read.ok().flatten().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests;
