//! The loopback network and the `/dev/shm` of a session.

use std::sync::{Arc, Mutex, Weak};

use scorel_exec::{SharedSpace, StartError, Supervisors};

use crate::locked::lock;

/// The space that commands of a session share.
///
/// It exists while a command in the background runs: only then another one can meet it. It takes a
/// process and a descriptor, so an idle session has none, and a command that runs alone makes its own
/// namespaces, which end with it.
#[derive(Debug, Default)]
pub(super) struct SessionSpace(Mutex<Weak<SharedSpace>>);

impl SessionSpace {
    /// The space, if there is one.
    pub(super) fn current(&self) -> Option<Arc<SharedSpace>> {
        lock(&self.0).upgrade().filter(|space| space.is_alive())
    }

    /// The space, made if there is none. Blocks while it is made.
    pub(super) fn get(&self, supervisors: &Supervisors) -> Result<Arc<SharedSpace>, StartError> {
        let mut known = lock(&self.0);
        if let Some(space) = known.upgrade().filter(|space| space.is_alive()) {
            return Ok(space);
        }
        let space = supervisors.make_space()?;
        *known = Arc::downgrade(&space);
        Ok(space)
    }
}
