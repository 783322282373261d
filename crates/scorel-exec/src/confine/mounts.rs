//! The mounts of a command: everything read-only but its writable places.
//!
//! Landlock does not cover `chmod`, `chown`, `utime` and `setxattr`, and its rules only add rights: what
//! is granted on the project cannot be taken back for a file in it. So in a mount namespace of the
//! command's own, writable places are bind-mounted over themselves, every other mount becomes
//! read-only, and protected places are bind-mounted over themselves read-only. The command cannot
//! undo that: Landlock refuses `mount` and `umount` to a process that it restricts.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::statvfs::{FsFlags, fstatvfs};
use nix::unistd::{getegid, geteuid};

use super::mount_error::MountError;
use super::{capabilities, probe, read_only, settings_links};
use crate::real_place::open_real;
use crate::sandbox::Sandbox;

/// The probe: makes a mount in a namespace of its own.
pub(crate) fn try_mounts() -> ExitCode {
    let entered = enter_namespaces(CloneFlags::CLONE_NEWIPC).and_then(|()| enter_mount_namespace());
    let bound = || bind_tree(&open_real(Path::new("/proc"))?);
    probe::result(entered.is_ok() && bound().is_ok())
}

/// The same for a pid namespace. The process that enters it stays outside; its child, which is the
/// first process in it, mounts its `/proc` in a mount namespace of its own.
pub(crate) fn try_processes() -> ExitCode {
    try_in_namespace(|| true)
}

/// A probe in a new pid namespace, whose first process is the child that tries.
pub(super) fn try_in_namespace(succeeds: impl FnOnce() -> bool) -> ExitCode {
    let flags = CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWPID;
    let has_entered = enter_namespaces(flags).is_ok() && capabilities::keep_mounting().is_ok();
    let has_proc = || enter_mount_namespace().is_ok() && mount_proc().is_ok();
    probe::result(has_entered && probe::child_succeeds(|| has_proc() && succeeds()))
}

/// Mounts writable and protected places, in the namespace that was entered. Fails if the system
/// refuses: a command that is not restricted as asked must not run.
pub(super) fn protect(sandbox: &Sandbox) -> Result<(), MountError> {
    let plan = MountPlan::of(sandbox);
    let bind_in_place = |place: &PathBuf| {
        let bound = open_real(place).and_then(|opened| bind_tree(&opened));
        bound.map_err(|source| MountError::at(place, source))
    };
    plan.writable.iter().try_for_each(bind_in_place)?;
    read_only::everything_except(&plan.writable)?;
    plan.pinned.iter().try_for_each(bind_in_place)?;
    for place in &plan.read_only {
        bind_read_only(place).map_err(|source| MountError::at(place, source))?;
    }
    settings_links::mount(&sandbox.settings);
    Ok(())
}

/// Mounts a `/proc` that shows the processes of this pid namespace.
pub(super) fn mount_proc() -> Result<(), MountError> {
    let proc = Path::new("/proc");
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), proc, Some("proc"), flags, UNUSED)
        .map_err(|source| MountError::at(proc, source))
}

/// Places to mount over themselves.
#[derive(Debug, PartialEq, Eq)]
struct MountPlan {
    /// None of them is below another one.
    writable: BTreeSet<PathBuf>,
    /// Directories between a writable one and a protected or masked place, parents first. Nothing
    /// protects a mount point from `mv .git elsewhere` but a mount on `.git` itself: a mount point
    /// cannot be renamed. A masked place that was moved with its parent would be open to the next
    /// command.
    pinned: BTreeSet<PathBuf>,
    read_only: BTreeSet<PathBuf>,
}

impl MountPlan {
    fn of(sandbox: &Sandbox) -> Self {
        let real = |places: &[PathBuf]| -> BTreeSet<PathBuf> {
            places
                .iter()
                .filter_map(|place| place.canonicalize().ok())
                .collect()
        };
        let is_there = |place: &&PathBuf| open_real(place).is_ok();
        let writable: BTreeSet<_> = sandbox.granted().filter(is_there).cloned().collect();
        let (read_only, masked) = (real(&sandbox.protected), real(&sandbox.masked));
        let is_topmost = |place: &&PathBuf| {
            let mut above = place.ancestors().skip(1);
            !above.any(|dir| writable.contains(dir))
        };
        let topmost = writable.iter().filter(is_topmost).cloned().collect();
        let mut pinned = BTreeSet::new();
        for place in read_only.iter().chain(&masked) {
            let is_inside = |dir: &&Path| {
                writable
                    .iter()
                    .any(|root| *dir != root && dir.starts_with(root))
            };
            let above = place.ancestors().skip(1).take_while(is_inside);
            pinned.extend(above.map(Path::to_owned));
        }
        Self {
            writable: topmost,
            pinned,
            read_only,
        }
    }
}

/// Enters new namespaces. Without `CAP_SYS_ADMIN` that takes a user namespace first, in which only this
/// user exists.
pub(super) fn enter_namespaces(which: CloneFlags) -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    match unshare(which) {
        Ok(()) => return Ok(()),
        Err(Errno::EPERM) => {}
        Err(error) => return Err(error.into()),
    }
    unshare(CloneFlags::CLONE_NEWUSER | which)?;
    // The new credentials made the process undumpable, and then /proc/self belongs to root.
    prctl::set_dumpable(true)?;
    // The kernel lets an unprivileged process write gid_map only when setgroups is denied.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Enters a new mount namespace, whose mounts no other process sees. Takes the capability that a user
/// namespace gives.
pub(super) fn enter_mount_namespace() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    // systemd mounts `/` shared, so that mounts in the new namespace would propagate to the old one.
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(UNUSED, "/", UNUSED, flags, UNUSED)?;
    Ok(())
}

/// For the arguments of `mount` that these calls do not use.
pub(super) const UNUSED: Option<&str> = None;

/// The path under which `mount` takes what was opened.
pub(super) fn by_descriptor(opened: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", opened.as_raw_fd())
}

/// With the mounts below it, which would be hidden otherwise.
fn bind_tree(place: &OwnedFd) -> nix::Result<()> {
    bind(place, MsFlags::MS_BIND | MsFlags::MS_REC)
}

/// Mounts over itself what was opened.
fn bind(place: &OwnedFd, flags: MsFlags) -> nix::Result<()> {
    let place = by_descriptor(place);
    mount(Some(&*place), &*place, UNUSED, flags, UNUSED)
}

/// In two calls: the kernel ignores `MS_RDONLY` in the call that makes a bind mount.
fn bind_read_only(place: &Path) -> nix::Result<()> {
    bind(&open_real(place)?, MsFlags::MS_BIND)?;
    // The mount that was just made. If something else is there now, it is not a mount, and this fails.
    let mounted = open_real(place)?;
    let flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
    let flags = flags | inherited_flags(&mounted)?;
    mount(UNUSED, &*by_descriptor(&mounted), UNUSED, flags, UNUSED)
}

/// The flags of the mount that `place` is on. In a user namespace they are locked: a remount that
/// leaves one out fails with `EPERM`.
fn inherited_flags(place: &OwnedFd) -> nix::Result<MsFlags> {
    let own = fstatvfs(place)?.flags();
    let pairs = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ];
    let inherited = pairs.into_iter().filter(|(flag, _)| own.contains(*flag));
    Ok(inherited.fold(MsFlags::empty(), |flags, (_, flag)| flags | flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_between_a_project_and_a_protected_place_are_pinned() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        fs::create_dir_all(project.join(".git/hooks")).unwrap();
        fs::write(project.join(".git/config"), "").unwrap();
        let place = |name: &str| project.join(name);
        let plan = MountPlan::of(&Sandbox {
            writable: vec![project.clone()],
            protected: vec![place(".git/config"), place(".git/hooks"), place(".scorel")],
            ..Sandbox::default()
        });
        assert_eq!(plan.pinned, BTreeSet::from([place(".git")]));
        let read_only = [place(".git/config"), place(".git/hooks")];
        assert_eq!(plan.read_only, BTreeSet::from(read_only));
    }

    #[test]
    fn a_writable_place_below_another_one_needs_no_mount() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("project/tmp")).unwrap();
        fs::create_dir_all(home.join("project-2")).unwrap();
        let places = ["project/tmp", "project", "project-2", "absent"];
        let plan = MountPlan::of(&Sandbox {
            writable: places.map(|name| home.join(name)).to_vec(),
            ..Sandbox::default()
        });
        let expected = ["project", "project-2"].map(|name| home.join(name));
        assert_eq!(plan.writable, BTreeSet::from(expected));
    }
}
