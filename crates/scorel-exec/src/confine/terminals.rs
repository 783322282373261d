//! Terminals of a command's own.
//!
//! A pseudoterminal of the user's would let a command write to it, change its settings and read what is
//! typed. So every `devpts` that is mounted is covered by a new instance, which has no terminals yet.

use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};

use super::mount_error::MountError;
use super::mounts::UNUSED;
use super::read_only;

/// Where pseudoterminals are.
pub(super) const TERMINALS: &str = "/dev/pts";

/// Makes a new one, in the `devpts` that is mounted beside it.
pub(super) const NEW_TERMINAL: &str = "/dev/ptmx";

/// In the new instance.
const NEW_TERMINAL_INSIDE: &str = "/dev/pts/ptmx";

/// Covers the terminals that are there.
pub(super) fn replace() -> Result<(), MountError> {
    // Backwards: `/dev/pts` before `/dev/ptmx`.
    for place in read_only::places_of("devpts")?.into_iter().rev() {
        match cover(&place) {
            // Below another mount, or where this user cannot enter, and so the command cannot either.
            Ok(()) | Err(Errno::ENOENT | Errno::EACCES) => {}
            // A container's `/dev/ptmx` may be a mount of the file in the instance.
            Err(Errno::ENOTDIR) => cover_file(&place)?,
            Err(source) => return Err(MountError::at(&place, source)),
        }
    }
    Ok(())
}

/// Anyone in the sandbox may make a terminal, which is then their own.
fn cover(place: &Path) -> nix::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC;
    let options = Some("newinstance,ptmxmode=0666,mode=0620");
    mount(Some("devpts"), place, Some("devpts"), flags, options)
}

fn cover_file(place: &Path) -> Result<(), MountError> {
    let inside = Some(NEW_TERMINAL_INSIDE);
    mount(inside, place, UNUSED, MsFlags::MS_BIND, UNUSED)
        .map_err(|source| MountError::at(place, source))
}
