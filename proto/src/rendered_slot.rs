use std::any::Any;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place beside the messages of a [`Context`](crate::Context) where a provider keeps what it has
/// rendered of them, so that the next request goes on from there.
///
/// It may be empty at any moment: what is in it saves time and nothing else.
#[derive(Default)]
pub struct RenderedSlot(Mutex<Option<Box<dyn Any + Send>>>);

impl RenderedSlot {
    /// Takes what was kept. Anything of another type was kept by another provider, and is dropped.
    pub fn take<T: Any>(&self) -> Option<T> {
        let kept = self.lock().take()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Keeps `rendered` in place of what was kept before.
    pub fn keep(&self, rendered: impl Any + Send) {
        let before = self.lock().replace(Box::new(rendered));
        // A long conversation: freed without the lock.
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RenderedSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RenderedSlot")
    }
}
