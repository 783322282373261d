//! Places that stay as they are although what is around them may be changed.
//!
//! Landlock cannot take back what it grants on a directory. So these places are mounted over
//! themselves, read-only, in a mount namespace of the command's own; Landlock then keeps the command
//! from changing mounts.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{getegid, geteuid};

use crate::entry::TRY_MOUNTS;
use crate::sandbox::Sandbox;

/// Set in a process that tries mounts, so that it starts no further one if it is no program of
/// this kind.
const TRYING: &str = "SCOREL_TRY_MOUNTS";

/// Whether mounts can be made: a process of its own tries.
pub(crate) fn is_there() -> bool {
    if std::env::var_os(TRYING).is_some() {
        return false;
    }
    let tried = Command::new("/proc/self/exe")
        .arg(TRY_MOUNTS)
        .env_clear()
        .env(TRYING, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.code() == Some(i32::from(CAN_MOUNT)))
}

/// Makes a mount that nobody else sees. The exit code says whether that worked.
pub(crate) fn try_mounts() -> ExitCode {
    let place = Path::new("/proc");
    let can = enter_namespace().unwrap_or(false) && make_private().is_ok() && bind(place).is_ok();
    ExitCode::from(if can { CAN_MOUNT } else { 1 })
}

/// No program that does not know the argument ends with this by chance.
const CAN_MOUNT: u8 = 113;

/// Whether the places are protected.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// They are, or there are none.
    Complete,
    /// The system lets nobody make a namespace.
    Unavailable,
}

/// Mounts what `sandbox` protects. To be called before files are restricted: nothing can be mounted
/// afterwards.
pub(super) fn protect(sandbox: &Sandbox) -> io::Result<Protection> {
    let plan = Plan::of(sandbox);
    if plan.read_only.is_empty() {
        return Ok(Protection::Complete);
    }
    if !enter_namespace()? {
        return Ok(Protection::Unavailable);
    }
    make_private()?;
    for place in &plan.pinned {
        bind(place)?;
    }
    for place in &plan.read_only {
        bind(place)?;
        let flags =
            MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | kept_flags(place)?;
        let nothing = None::<&str>;
        mount(nothing, place, nothing, flags, nothing)?;
    }
    Ok(Protection::Complete)
}

/// What is mounted from now on is seen in this namespace only.
fn make_private() -> nix::Result<()> {
    let nothing = None::<&str>;
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(nothing, "/", nothing, flags, nothing)
}

/// What is mounted over itself.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    /// Directories above protected places, parents first: a mounted directory cannot be moved away
    /// and replaced.
    pinned: BTreeSet<PathBuf>,
    read_only: BTreeSet<PathBuf>,
}

impl Plan {
    fn of(sandbox: &Sandbox) -> Self {
        let real = |places: &[PathBuf]| -> BTreeSet<PathBuf> {
            places
                .iter()
                .filter_map(|place| place.canonicalize().ok())
                .collect()
        };
        let (writable, read_only) = (real(&sandbox.writable), real(&sandbox.protected));
        let mut pinned = BTreeSet::new();
        for place in &read_only {
            let is_inside = |dir: &&Path| {
                writable
                    .iter()
                    .any(|root| *dir != root && dir.starts_with(root))
            };
            let above = place.ancestors().skip(1).take_while(is_inside);
            pinned.extend(above.map(Path::to_owned));
        }
        Self { pinned, read_only }
    }
}

/// Says whether there is a namespace for mounts now: one of the superuser's, or one inside a
/// namespace for users in which only this user exists.
fn enter_namespace() -> io::Result<bool> {
    let (user, group) = (geteuid(), getegid());
    match unshare(CloneFlags::CLONE_NEWNS) {
        Ok(()) => return Ok(true),
        Err(Errno::EPERM) => {}
        Err(_) => return Ok(false),
    }
    if unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS).is_err() {
        return Ok(false);
    }
    // The new privileges have taken the files below /proc/self away.
    prctl::set_dumpable(true)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    Ok(true)
}

fn bind(place: &Path) -> nix::Result<()> {
    let nothing = None::<&str>;
    mount(Some(place), place, nothing, MsFlags::MS_BIND, nothing)
}

/// What the file system's own mount says; a namespace for users must not say less.
fn kept_flags(place: &Path) -> nix::Result<MsFlags> {
    let own = statvfs(place)?.flags();
    let pairs = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ];
    let kept = pairs.into_iter().filter(|(flag, _)| own.contains(*flag));
    Ok(kept.fold(MsFlags::empty(), |flags, (_, flag)| flags | flag))
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
        let plan = Plan::of(&Sandbox {
            writable: vec![project.clone()],
            protected: vec![place(".git/config"), place(".git/hooks"), place(".scorel")],
            ..Sandbox::default()
        });
        assert_eq!(plan.pinned, BTreeSet::from([place(".git")]));
        let read_only = [place(".git/config"), place(".git/hooks")];
        assert_eq!(plan.read_only, BTreeSet::from(read_only));
    }
}
