//! All mounts of a command.

use super::stage::StageError;
use super::{masks, mounts, terminals};
use crate::job::StageJob;
use crate::sandbox::Sandbox;

/// Makes the mounts that `sandbox` asks for, in the namespace that was entered, and enters the working
/// directory. Covers come last: writable or protected places may be above them.
pub(super) fn arrange_mounts(job: &StageJob, sandbox: &Sandbox) -> Result<(), StageError> {
    mounts::protect(sandbox)?;
    terminals::replace()?;
    masks::cover(sandbox)?;
    Ok(job.directory.enter()?)
}
