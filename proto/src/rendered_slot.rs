use std::any::Any;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place next to the messages of a [`Context`](crate::Context) where a provider keeps its rendering of them,
/// so that the next request goes on from there.
///
/// It may be empty at any moment: its content saves time and nothing else.
#[derive(Default)]
pub struct RenderedSlot(Mutex<Option<Box<dyn Any + Send>>>);

impl RenderedSlot {
    /// Takes the kept rendering. A value of another type is another provider's, and is dropped.
    pub fn take<T: Any>(&self) -> Option<T> {
        let kept = self.lock().take()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Keeps `rendered` in place of the previous rendering.
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
