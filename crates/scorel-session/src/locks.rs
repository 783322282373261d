//! Locks that are held for moments, taken in one order.
//!
//! A thread that takes a lock which it holds, or two in another order than a second thread, waits for
//! ever as soon as a third comes in between: rarely, and then the whole daemon does. So each of these
//! locks has a rank, and a thread takes them in rising order, one of a rank at a time. One that does
//! not panics at once, in every build: the first test that runs the line fails, and a daemon loses one
//! call. Guards cannot be sent, so a task that waits holds none.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The map of loaded sessions.
const SESSIONS: u8 = 0b001;
const PUBLISHED: u8 = 0b010;
const LEAF: u8 = 0b100;

thread_local! {
    /// The ranks of the locks that the thread holds.
    static RANKS: Cell<u8> = const { Cell::new(0) };
}

pub(crate) type SessionsLock<T> = RankedMutex<T, SESSIONS>;

/// A lock under which no other of these is taken.
pub(crate) type Leaf<T> = RankedMutex<T, LEAF>;

/// A mutex whose values are consistent between any two statements, so that a panic does not spoil them.
#[derive(Debug, Default)]
pub(crate) struct RankedMutex<T, const RANK: u8>(Mutex<T>);

/// The lock of a lane's published state. After a panic in the middle of a change the session is marked
/// as failed.
#[derive(Debug)]
pub(crate) struct PublishedLock<T>(RwLock<T>);

/// A guard. While it lives, its thread takes locks of higher ranks only.
#[derive(Debug)]
pub(crate) struct Held<G> {
    guard: G,
    /// Dropped last.
    _rank: HeldRank,
}

#[derive(Debug)]
struct HeldRank(u8);

impl<T, const RANK: u8> RankedMutex<T, RANK> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> Held<MutexGuard<'_, T>> {
        let rank = HeldRank::enter(RANK);
        let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Held { guard, _rank: rank }
    }
}

impl<T> PublishedLock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(RwLock::new(value))
    }

    #[track_caller]
    pub(crate) fn read(&self) -> Held<RwLockReadGuard<'_, T>> {
        let rank = HeldRank::enter(PUBLISHED);
        let guard = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Held { guard, _rank: rank }
    }

    #[track_caller]
    pub(crate) fn write(&self) -> Held<RwLockWriteGuard<'_, T>> {
        let rank = HeldRank::enter(PUBLISHED);
        let guard = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Held { guard, _rank: rank }
    }
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

impl HeldRank {
    #[track_caller]
    fn enter(rank: u8) -> Self {
        let held = RANKS.get();
        assert!(
            held < rank,
            "a lock of rank {rank:#b} is taken while {held:#b} is held: they could wait for ever"
        );
        RANKS.set(held | rank);
        Self(rank)
    }
}

impl Drop for HeldRank {
    fn drop(&mut self) {
        RANKS.set(RANKS.get() & !self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_thread_that_takes_locks_in_another_order_panics_at_once_and_holds_none_afterwards() {
        let sessions = SessionsLock::new(());
        let (published, other) = (PublishedLock::new(()), PublishedLock::new(()));
        let (leaf, second) = (Leaf::new(()), Leaf::new(()));
        let wrong: [(&str, &dyn Fn()); 9] = [
            ("published, read again", &|| {
                let _held = (published.read(), published.read());
            }),
            ("published of two lanes", &|| {
                let _held = (published.read(), other.read());
            }),
            ("published, changed while it is read", &|| {
                let _held = (published.read(), published.write());
            }),
            ("published, read while it is changed", &|| {
                let _held = (published.write(), published.read());
            }),
            ("published below a leaf", &|| {
                let _held = (leaf.lock(), published.read());
            }),
            ("the map below the published state", &|| {
                let _held = (published.read(), sessions.lock());
            }),
            ("the map below a leaf", &|| {
                let _held = (leaf.lock(), sessions.lock());
            }),
            ("a leaf again", &|| {
                let _held = (leaf.lock(), leaf.lock());
            }),
            ("two leaves", &|| {
                let _held = (leaf.lock(), second.lock());
            }),
        ];
        for (name, take) in wrong {
            assert!(catch_unwind(AssertUnwindSafe(take)).is_err(), "{name}");
            let in_order = (sessions.lock(), published.write(), leaf.lock());
            // In any order: what counts is what is held when the next is taken.
            drop(in_order.0);
            drop(in_order.1);
            drop(in_order.2);
            let _later = (published.read(), leaf.lock());
        }
    }
}
