//! The capabilities that a command of a superuser keeps.

// nix has no capget and capset.
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Capabilities that builds and package managers need for files and processes of their own: to give what they
/// unpack its owner and mode, to become the user that they build as, and to end what that one started.
///
/// The others lead around the sandbox: to disks (`CAP_MKNOD`, `CAP_SYS_RAWIO`), to other processes' memory
/// (`CAP_SYS_PTRACE`), to the kernel (`CAP_SYS_ADMIN`, `CAP_SYS_MODULE`).
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID);

/// Drops all other capabilities of this thread and its descendants. `no_new_privs` keeps `exec` of a set-user-id
/// program from bringing them back.
pub(super) fn restrict() -> rustix::io::Result<()> {
    let own = capabilities(None)?;
    let reduced = CapabilitySets {
        effective: own.effective & KEPT,
        permitted: own.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, reduced)
}

/// Drops all capabilities that a user namespace has given to a user, but the one to mount. A superuser keeps those
/// that there were.
pub(super) fn keep_mounting() -> rustix::io::Result<()> {
    if geteuid().is_root() {
        return Ok(());
    }
    let mount = CapabilitySets {
        effective: CapabilitySet::SYS_ADMIN,
        permitted: CapabilitySet::SYS_ADMIN,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, mount)
}
