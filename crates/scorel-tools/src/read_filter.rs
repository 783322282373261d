//! Files that the model may not be shown.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many calls may wait with a filter of their own.
const MAX_CALLS: usize = 256;

/// Which files tools may show to the model: `Read` refuses the others, `Grep` and `Glob` leave them
/// out and say how many.
pub trait ReadFilter: fmt::Debug + Send + Sync {
    /// Whether the file at `path`, absolute and without links, may be shown. Asked for every file of
    /// a search, from several threads.
    fn may_read(&self, path: &Path) -> bool;
}

/// The filters of a session's calls.
#[derive(Debug, Default)]
pub(crate) struct ReadFilters(Mutex<Filters>);

type Filter = Option<Arc<dyn ReadFilter>>;

#[derive(Debug, Default)]
struct Filters {
    standing: Filter,
    of_calls: HashMap<String, Filter>,
}

impl ReadFilters {
    /// From now on for all calls that get no other.
    pub(crate) fn set(&self, filter: Filter) {
        *self.lock() = Filters {
            standing: filter,
            of_calls: HashMap::new(),
        };
    }

    /// For one call that is to come.
    pub(crate) fn set_for(&self, call_id: &str, filter: Filter) {
        let mut filters = self.lock();
        if filters.of_calls.len() < MAX_CALLS {
            filters.of_calls.insert(call_id.to_owned(), filter);
        }
    }

    /// For one call that is to come, what holds for all.
    pub(crate) fn reset(&self, call_id: &str) {
        self.lock().of_calls.remove(call_id);
    }

    /// The filter of a call that begins.
    pub(crate) fn take(&self, call_id: &str) -> Filter {
        let mut filters = self.lock();
        let own = filters.of_calls.remove(call_id);
        own.unwrap_or_else(|| filters.standing.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Filters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
