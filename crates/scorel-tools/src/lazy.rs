//! Values that are computed at first use.

use std::fmt;
use std::sync::{Arc, LazyLock};

type Find<T> = Box<dyn FnOnce() -> T + Send>;

/// A value that is found out when it is first needed, once for all clones. Finding it out may block.
#[derive(Clone)]
pub struct Lazy<T>(Arc<LazyLock<T, Find<T>>>);

impl<T> Lazy<T> {
    #[must_use]
    pub fn new(find: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(find))))
    }

    /// The value. Blocks until it is known.
    #[must_use]
    pub fn get(&self) -> &T {
        &self.0
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
        self.0.fmt(f)
    }
}
