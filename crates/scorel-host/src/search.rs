//! The search in the sessions of a home.

use std::sync::Arc;

use scorel_home::Home;
use scorel_search::SearchIndex;
use tokio::sync::Semaphore;

/// The searches that run at once. They read files and compute, and turns come first.
const AT_ONCE: usize = 2;

/// The index, and places for those who search in it.
#[derive(Debug)]
pub(crate) struct HostSearch {
    index: Arc<SearchIndex>,
    places: Semaphore,
}

impl HostSearch {
    pub(crate) fn new(home: &Home) -> Self {
        Self {
            index: Arc::new(SearchIndex::new(home.search(), home.sessions())),
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// The index. It has to be told of new records.
    pub(crate) const fn index(&self) -> &Arc<SearchIndex> {
        &self.index
    }

    /// Has a place for each search that runs.
    pub(crate) const fn places(&self) -> &Semaphore {
        &self.places
    }
}
