//! A loopback network and a `/dev/shm` for commands that run at the same time.

use std::io::{self, Read as _};
use std::process::{Child, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::role::Role;

/// The holder writes this when its namespaces are made. Anything else is an error's text.
pub(crate) const MADE: &str = "made";

/// In bytes.
const MAX_ANSWER: u64 = 4096;

/// A loopback network and a `/dev/shm` for commands that run at the same time.
///
/// Namespaces live as long as a process is in them or a descriptor refers to them. A process of their
/// own holds these, so that a server started in a space and the commands after it share one network. A
/// command's processes cannot be the holder: they may enter other namespaces. The holder ends when this
/// value is dropped, and with the daemon, whose end of its input closes.
#[derive(Debug)]
pub struct SharedSpace {
    holder: Mutex<Child>,
    /// Valid until the holder was waited for, and so while this value lives.
    id: i32,
}

impl SharedSpace {
    /// Starts a holder and waits until the namespaces are made.
    pub(crate) fn make() -> io::Result<Self> {
        let mut child = Role::SpaceHolder
            .command()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let id = i32::try_from(child.id()).map_err(io::Error::other)?;
        let output = child.stdout.take();
        let space = Self {
            holder: Mutex::new(child),
            id,
        };
        let mut answer = String::new();
        if let Some(output) = output {
            output.take(MAX_ANSWER).read_to_string(&mut answer)?;
        }
        if answer == MADE {
            return Ok(space);
        }
        Err(io::Error::other(answer))
    }

    /// The process id of the holder.
    pub fn holder(&self) -> i32 {
        self.id
    }

    /// Returns whether the holder lives. A command without a sandbox can kill it.
    pub fn is_alive(&self) -> bool {
        let mut holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(holder.try_wait(), Ok(None))
    }
}

impl Drop for SharedSpace {
    /// Ends the holder. It has nothing to do at its end, so the wait is short.
    fn drop(&mut self) {
        let holder = self.holder.get_mut();
        let holder = holder.unwrap_or_else(PoisonError::into_inner);
        // Both fail only if it has ended and was waited for.
        let _ignored: io::Result<()> = holder.kill();
        if let Err(error) = holder.wait() {
            tracing::warn!(%error, "cannot wait for the holder of a network");
        }
    }
}
