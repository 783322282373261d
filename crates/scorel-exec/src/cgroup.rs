//! Limits by control groups, version 2.
//!
//! The daemon's own group must be delegated to it: it is alone there, and may make groups below. It
//! moves itself into one of those, since a group with controllers for others must have no processes of
//! its own, and makes one for every command. The unit file asks for that with `Delegate=yes`.

#[cfg(target_os = "linux")]
mod location;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::limits::{LimitKind, ResourceLimits};

/// The resources that the kernel must limit in the groups.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// The group that the daemon moves itself to.
const DAEMON: &str = "scorel-daemon";

/// The reason why there are no groups.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoDelegation {
    #[error("there are no control groups of version 2")]
    NoHierarchy,
    #[error("the controllers `memory` and `pids` are not in the daemon's control group")]
    NoControllers,
    #[error("the daemon is not alone in its control group")]
    NotAlone,
    #[error("the daemon's control group is not delegated to it: {0}")]
    NotDelegated(io::Error),
}

/// The daemon's own group, which is delegated to it.
#[derive(Debug)]
pub(crate) struct DelegatedGroup {
    root: PathBuf,
}

/// A group below, removed with this value.
#[derive(Debug)]
pub(crate) struct CgroupDirectory {
    path: PathBuf,
}

impl DelegatedGroup {
    /// Takes over the group that this process is in.
    #[cfg(target_os = "linux")]
    pub(crate) fn take() -> Result<Self, NoDelegation> {
        let root = location::own_group().ok_or(NoDelegation::NoHierarchy)?;
        Self::take_at(&root, std::process::id())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn take() -> Result<Self, NoDelegation> {
        Err(NoDelegation::NoHierarchy)
    }

    fn take_at(root: &Path, own: u32) -> Result<Self, NoDelegation> {
        let read = |name| fs::read_to_string(root.join(name)).map_err(NoDelegation::NotDelegated);
        let controllers = read("cgroup.controllers")?;
        let has = |name: &&str| controllers.split_ascii_whitespace().any(|it| it == *name);
        if !CONTROLLERS.iter().all(has) {
            return Err(NoDelegation::NoControllers);
        }
        let own = own.to_string();
        if read("cgroup.procs")?.lines().any(|line| line != own) {
            return Err(NoDelegation::NotAlone);
        }
        let daemon = root.join(DAEMON);
        let moved = make_directory(&daemon)
            .and_then(|()| fs::write(daemon.join("cgroup.procs"), &own))
            .and_then(|()| enable_controllers(root));
        if let Err(error) = moved {
            // As it was before: both fail if it never got that far.
            let _ignored: io::Result<()> = fs::write(root.join("cgroup.procs"), &own);
            let _ignored: io::Result<()> = fs::remove_dir(&daemon);
            return Err(NoDelegation::NotDelegated(error));
        }
        Ok(Self {
            root: root.to_owned(),
        })
    }

    /// A group for one command.
    pub(crate) fn for_command(
        &self,
        run: u64,
        limits: &ResourceLimits,
    ) -> io::Result<CgroupDirectory> {
        CgroupDirectory::make(self.root.join(format!("run-{run}")), limits)
    }

    /// A group for commands that share limits, each of which gets one [below](CgroupDirectory::below).
    pub(crate) fn for_group(&self, name: u64) -> io::Result<CgroupDirectory> {
        let path = self.root.join(format!("background-{name}"));
        make_directory(&path)?;
        let made = CgroupDirectory { path };
        enable_controllers(&made.path)?;
        Ok(made)
    }
}

impl CgroupDirectory {
    fn make(path: PathBuf, limits: &ResourceLimits) -> io::Result<Self> {
        make_directory(&path)?;
        let made = Self { path };
        limit(&made.path, limits)?;
        // The whole command is ended, not one process of it, whose end the others may not notice.
        fs::write(made.path.join("memory.oom.group"), "1")?;
        Ok(made)
    }

    /// A group for one of the commands that share the limits of `group`.
    pub(crate) fn below(group: &Path, run: u64, limits: &ResourceLimits) -> io::Result<Self> {
        limit(group, limits)?;
        Self::make(group.join(format!("run-{run}")), limits)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for CgroupDirectory {
    /// The kernel refuses it while there are processes; those are reported as survivors.
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.path) {
            tracing::warn!(%error, group = %self.path.display(), "a control group cannot be removed");
        }
    }
}

/// Moves this process, with what it starts from now on, to a group.
pub(crate) fn join(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

/// The limit that the kernel has enforced in a group: it killed processes for want of memory, or
/// refused a new task.
pub(crate) fn reached(group: &Path) -> io::Result<Option<LimitKind>> {
    let count = |file: &str, event: &str| -> io::Result<u64> {
        let text = fs::read_to_string(group.join(file))?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(event)?.strip_prefix(' '));
        Ok(line.and_then(|count| count.parse().ok()).unwrap_or(0))
    };
    if count("memory.events", "oom_kill")? > 0 {
        return Ok(Some(LimitKind::Memory));
    }
    let refused = count("pids.events", "max")?;
    Ok((refused > 0).then_some(LimitKind::Processes))
}

fn limit(group: &Path, limits: &ResourceLimits) -> io::Result<()> {
    fs::write(group.join("memory.max"), limits.memory.to_string())?;
    // Swapping would slow down everything else before the limit holds. A kernel without swap has no
    // such file.
    match fs::write(group.join("memory.swap.max"), "0") {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::write(group.join("pids.max"), limits.tasks().to_string())
}

fn enable_controllers(group: &Path) -> io::Result<()> {
    let wanted = CONTROLLERS.map(|name| format!("+{name}")).join(" ");
    fs::write(group.join("cgroup.subtree_control"), wanted)
}

/// One that a killed daemon has left serves as well.
fn make_directory(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
