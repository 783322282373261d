//! Values that are computed at first use.

use std::fmt;
use std::sync::{Arc, LazyLock};

use scorel_engine::Prerequisite;

type Find<T> = Box<dyn FnOnce() -> T + Send>;

type Need = dyn Fn() -> Option<Prerequisite> + Send + Sync;

/// A value that is found out when it is first needed, once for all clones. Finding it out may block.
#[derive(Clone)]
pub struct Lazy<T> {
    value: Arc<LazyLock<T, Find<T>>>,
    need: Arc<Need>,
}

impl<T> Lazy<T> {
    pub fn new(find: impl FnOnce() -> T + Send + 'static) -> Self {
        Self {
            value: Arc::new(LazyLock::new(Box::new(find))),
            need: Arc::new(|| None),
        }
    }

    /// The same value, which blocks for long until what `need` returns is there.
    #[must_use]
    pub fn needing(self, need: impl Fn() -> Option<Prerequisite> + Send + Sync + 'static) -> Self {
        Self {
            need: Arc::new(need),
            ..self
        }
    }

    /// The value. Blocks until it is known.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// The condition to wait for, so that [`get`](Self::get) does not block for long.
    pub(crate) fn prerequisite(&self) -> Option<Prerequisite> {
        (self.need)()
    }
}

impl<T: Send + 'static> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Self::new(move || value)
    }
}

impl<T: Default + Send + 'static> Default for Lazy<T> {
    fn default() -> Self {
        Self::new(T::default)
    }
}

/// The value, if it is known.
impl<T: fmt::Debug> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
