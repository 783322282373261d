//! The capabilities that a command of a superuser keeps.

// nix has no capget and capset.
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// What builds and package managers need for files and processes of their own.
///
/// The others lead around the sandbox: to disks, to other processes' memory, to the kernel.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID);

/// Drops all other capabilities of this thread and its descendants. `no_new_privs` keeps `exec` of
/// a set-user-id program from bringing them back.
pub(super) fn restrict() -> rustix::io::Result<()> {
    let own = capabilities(None)?;
    let reduced = CapabilitySets {
        effective: own.effective & KEPT,
        permitted: own.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, reduced)
}
