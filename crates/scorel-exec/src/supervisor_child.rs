//! The daemon's side of a supervisor process.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, poll};

use crate::child_pipes::ChildPipes;
use crate::deadline::poll_timeout;
use crate::job::{NamespaceJob, StandbyJob, SupervisorJob, write_job};
use crate::orphans::kill_orphans;
use crate::registry::RunRegistry;
use crate::role::Role;

/// The longest time that a supervisor may take to end: its own grace period of 1 s, and 0.7 s more for a busy
/// machine. After that it counts as stopped or stuck, and is killed.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1700);

/// The delay after its time limit with which a command's end may be reported. Nothing waits at that moment, and
/// the limit counts from the order: on a busy machine the supervisor begins seconds after it.
pub(crate) const TIMEOUT_PATIENCE: Duration = Duration::from_secs(5);

/// A supervisor process and the socket that controls it.
#[derive(Debug)]
pub(crate) struct SupervisorChild {
    pub(crate) child: Child,
    /// A socket. Takes the order, and after it control bytes.
    pub(crate) control: File,
}

impl SupervisorChild {
    /// Starts a supervisor, which prepares the namespaces and waits for its order.
    pub(crate) fn start(
        registry: &RunRegistry,
        directory: &Path,
        namespaces: Option<NamespaceJob>,
    ) -> io::Result<Self> {
        let parent = i32::try_from(std::process::id()).map_err(io::Error::other)?;
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Role::Supervisor.command();
        command
            .current_dir(directory)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = registry.spawn_supervisor(&mut command)?;
        let control = File::from(OwnedFd::from(ours));
        let mut supervisor = Self { child, control };
        supervisor.send(&StandbyJob { parent, namespaces });
        Ok(supervisor)
    }

    /// The supervisor, unless it has ended by itself.
    pub(crate) fn if_alive(mut self, registry: &RunRegistry) -> Option<Self> {
        if matches!(self.child.try_wait(), Ok(None)) {
            return Some(self);
        }
        self.dismiss(registry);
        None
    }

    pub(crate) fn order(&mut self, job: &SupervisorJob, pipes: Option<&ChildPipes>) {
        self.send(job);
        if let Some(pipes) = pipes {
            // Fails as `send` does.
            let _ignored: io::Result<()> = pipes.send(&self.control);
        }
    }

    fn send(&mut self, job: &impl serde::Serialize) {
        // Fails if the supervisor has ended already. Its report says why.
        let _ignored: io::Result<()> = write_job(job, &mut self.control);
    }

    /// Ends a supervisor that has no order, with what it has started. Blocks until it has ended.
    pub(crate) fn dismiss(self, registry: &RunRegistry) {
        let Self { mut child, control } = self;
        drop(control);
        // A supervisor that was killed leaves orphans; `reap` kills them.
        let has_ended = hangs_up(&child, Instant::now() + PATIENCE)
            && child.wait().is_ok_and(|status| status.success());
        // Errors are ignored: without an order, the children run no command.
        let _ignored: io::Result<()> = reap(&mut child, registry, !has_ended);
    }
}

/// Reaps a supervisor. Kills a lost one first, and then the orphans that it left.
///
/// # Errors
/// Not all could be killed.
pub(crate) fn reap(child: &mut Child, registry: &RunRegistry, is_lost: bool) -> io::Result<()> {
    if is_lost {
        // Fails if it has ended already.
        let _ignored: io::Result<()> = child.kill();
    }
    if let Err(error) = child.wait() {
        tracing::warn!(%error, "cannot wait for a supervisor");
    }
    registry.forget_supervisor(child);
    if !is_lost {
        return Ok(());
    }
    kill_orphans(registry).inspect_err(|error| {
        tracing::warn!(%error, "processes of a command whose supervisor was killed may be left");
    })
}

/// Waits until the supervisor has closed its end of the pipe for reports, which it does when it ends.
fn hangs_up(child: &Child, until: Instant) -> bool {
    let Some(reports) = &child.stderr else {
        return false;
    };
    while Instant::now() < until {
        let mut fds = [PollFd::new(reports.as_fd(), PollFlags::empty())];
        // After EINTR it has not.
        let _ignored = poll(&mut fds, poll_timeout(Some(until)));
        if fds[0].any() == Some(true) {
            return true;
        }
    }
    false
}
