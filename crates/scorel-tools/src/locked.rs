//! Locks that a panic of another thread does not close.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value, even if a thread has panicked with it: every change to one is whole at once.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
