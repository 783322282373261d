//! The capabilities that a command of a superuser keeps.

// nix has no capget and capset.
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set,
    set_capabilities,
};

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

/// Drops all other capabilities of this thread and its descendants, also the one that was
/// [passed on](pass_on). `no_new_privs` keeps `exec` of a set-user-id program from bringing them back.
pub(super) fn restrict() -> rustix::io::Result<()> {
    let own = capabilities(None)?;
    let reduced = CapabilitySets {
        effective: own.effective & KEPT,
        permitted: own.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, reduced)
}

/// Keeps the capability to mount over the next `exec`, which takes all others from a process that is not
/// a superuser's, even in a user namespace of its own.
pub(super) fn pass_on() -> rustix::io::Result<()> {
    let own = capabilities(None)?;
    let passed_on = CapabilitySets {
        inheritable: CapabilitySet::SYS_ADMIN,
        ..own
    };
    set_capabilities(None, passed_on)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)
}
