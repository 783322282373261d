use std::sync::{Mutex, MutexGuard, PoisonError};

/// The two ways to speak with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Requests that stand alone, after `server/discover`.
    Stateless,
    /// A connection that begins with `initialize`.
    Handshake,
}

impl Era {
    /// The version of the protocol that is asked for.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Stateless => "2026-07-28",
            Self::Handshake => "2025-11-25",
        }
    }
}

/// The era of the servers with one configuration, found out by greeting one, for as long as the daemon runs.
#[derive(Debug, Default)]
pub struct EraMemory(Mutex<Option<Era>>);

impl EraMemory {
    pub(crate) fn known(&self) -> Option<Era> {
        *self.lock()
    }

    pub(crate) fn learn(&self, era: Era) {
        *self.lock() = Some(era);
    }

    /// A server may have been replaced by one of the other era.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Era>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The greetings of a server whose era is not known: the newer one first, then, to another start, the older one.
#[derive(Debug, Default)]
pub(crate) struct EraGuess(Mutex<Option<Era>>);

impl EraGuess {
    /// The era to greet in.
    pub(crate) fn begin(&self) -> Era {
        *self.lock().get_or_insert(Era::Stateless)
    }

    /// The greeting was not answered. Returns whether there is another one.
    pub(crate) fn failed(&self) -> bool {
        let mut guess = self.lock();
        *guess = (*guess == Some(Era::Stateless)).then_some(Era::Handshake);
        guess.is_some()
    }

    pub(crate) fn end(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Era>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_greeting_is_tried_once_before_a_failure() {
        let guess = EraGuess::default();
        assert!(!guess.failed(), "none was begun");
        for _ in 0..2 {
            assert_eq!(guess.begin(), Era::Stateless);
            assert_eq!(guess.begin(), Era::Stateless, "a restart meanwhile");
            assert!(guess.failed());
            assert_eq!(guess.begin(), Era::Handshake);
            assert!(!guess.failed());
        }
    }
}
