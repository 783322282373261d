//! The privileges of a superuser that a command keeps.

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// What builds and installations of a superuser do with files and processes of their own.
///
/// The others lead around the sandbox: to disks, to other processes' memory, to the system itself.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID);

/// Gives up all others for this thread and everything that it becomes and starts. That they do not
/// come back needs `no_new_privs`.
pub(super) fn restrict() -> rustix::io::Result<()> {
    let own = capabilities(None)?;
    let reduced = CapabilitySets {
        effective: own.effective & KEPT,
        permitted: own.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, reduced)
}
