//! All mounts of a command.

use super::stage::StageError;
use super::working_directory::WorkingDirectory;
use super::{masks, mounts};
use crate::sandbox::Sandbox;

/// Makes the mounts that `sandbox` asks for, in the namespace that was entered. Covers come last: what
/// is writable or protected may be above them.
pub(super) fn arrange_mounts(sandbox: &Sandbox) -> Result<(), StageError> {
    let directory = WorkingDirectory::current()?;
    mounts::protect(sandbox)?;
    masks::cover(sandbox)?;
    Ok(directory.enter()?)
}
