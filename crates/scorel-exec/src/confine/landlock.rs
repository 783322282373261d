//! Files and ports, restricted by Landlock.
//!
//! | ABI | Linux | used for |
//! |---|---|---|
//! | 1 | 5.13 | reading, writing, executing, creating and removing |
//! | 2 | 5.19 | renaming and linking between directories |
//! | 3 | 6.2 | truncating; required, since without it a command can empty any file of the user's |
//! | 4 | 6.7 | TCP `bind` and `connect` |
//! | 5 | 6.10 | `ioctl` on devices |
//! | 6 | 6.12 | signals and abstract Unix sockets across the sandbox's border |

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, Scope,
};
use nix::sys::stat::SFlag;

use super::grants::{self, GrantKind, PathGrant};
use crate::real_place::{kind, open_real};
use crate::sandbox::{Sandbox, real};

/// The rights without which no command runs. See the table above for version 3.
const REQUIRED: ABI = ABI::V3;

/// The newest rights that the rules name. Each newer one needs a decision in [`access`] first.
const USED: ABI = ABI::V6;

#[derive(Debug, thiserror::Error)]
pub(super) enum LandlockError {
    #[error("{0}")]
    Rules(#[from] RulesetError),
    #[error("the kernel does not enforce the rules")]
    NotEnforced,
}

/// The Landlock ABI of the running kernel, up to [`USED`]; 0 without Landlock.
///
/// The crate does not tell the version, so each is tried by what it added.
pub(crate) fn version() -> u32 {
    let versions = [ABI::V1, ABI::V2, ABI::V3, ABI::V4, ABI::V5, ABI::V6];
    let is_there = |abi: &ABI| match *abi {
        ABI::V4 => strict().handle_access(AccessNet::from_all(*abi)).is_ok(),
        ABI::V6 => strict().scope(Scope::from_all(*abi)).is_ok(),
        abi => strict().handle_access(AccessFs::from_all(abi)).is_ok(),
    };
    let supported = versions.into_iter().take_while(is_there).count();
    u32::try_from(supported).unwrap_or(0)
}

fn strict() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

/// The rules of a command, which can be made while its mounts are.
///
/// A rule is about a directory or file, not about its path, and stays when something is mounted over
/// that. What the command gets mounted for itself is granted [later](Self::restrict), when it is there.
pub(super) struct FileRules {
    ruleset: RulesetCreated,
    /// Grants for places in the command's own mounts.
    late: Vec<PathGrant>,
}

impl FileRules {
    /// Makes the rules. A kernel that does not know all rights of [`REQUIRED`] is an error; of newer rights the
    /// rules have those that it knows. `own` are the places over which the command gets a mount of its own.
    pub(super) fn make(sandbox: &Sandbox, own: &[&str]) -> Result<Self, LandlockError> {
        let own: Vec<PathBuf> = own.iter().map(|place| real(Path::new(place))).collect();
        let is_own = |grant: &PathGrant| own.iter().any(|place| grant.path.starts_with(place));
        let (late, now): (Vec<_>, Vec<_>) = grants::of(sandbox).into_iter().partition(is_own);
        let ruleset = with_rules(ruleset(sandbox)?, &now)?;
        Ok(Self { ruleset, late })
    }

    /// Restricts this thread and its descendants.
    pub(super) fn restrict(self) -> Result<(), LandlockError> {
        let ruleset = with_rules(self.ruleset, &self.late)?;
        match ruleset.restrict_self()?.ruleset {
            RulesetStatus::NotEnforced => Err(LandlockError::NotEnforced),
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        }
    }
}

fn ruleset(sandbox: &Sandbox) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = strict()
        .handle_access(AccessFs::from_all(REQUIRED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(USED))?
        .scope(Scope::from_all(USED))?;
    if !sandbox.may_use_sockets() {
        ruleset = ruleset.handle_access(AccessNet::from_all(USED))?;
    }
    ruleset.create()
}

fn with_rules(
    ruleset: RulesetCreated,
    grants: &[PathGrant],
) -> Result<RulesetCreated, RulesetError> {
    grants
        .iter()
        .filter_map(rule)
        .try_fold(ruleset, RulesetCreated::add_rule)
}

/// The rule for one place; `None` if it is gone. Links are not followed: their target is granted, or
/// not, under its own path.
fn rule(grant: &PathGrant) -> Option<PathBeneath<std::os::fd::OwnedFd>> {
    let place = open_real(&grant.path).ok()?;
    let access = match kind(&place).ok()? {
        SFlag::S_IFDIR => access(grant.kind),
        // The kernel refuses rules with rights of directories for anything else.
        _ => access(grant.kind) & AccessFs::from_file(USED),
    };
    (!access.is_empty()).then(|| PathBeneath::new(place, access))
}

fn access(kind: GrantKind) -> BitFlags<AccessFs> {
    match kind {
        GrantKind::List => AccessFs::ReadDir.into(),
        GrantKind::Read => AccessFs::from_read(USED),
        GrantKind::Write => {
            // A superuser's command could make the device of a disk and read every hidden file there, and
            // `ioctl` on a device that is there already can reconfigure the hardware.
            let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
            AccessFs::from_all(USED) & !devices & !BitFlags::from(AccessFs::IoctlDev)
        }
        GrantKind::Device => {
            // `ioctl` sets the size and the modes of a terminal. No file of `/dev` is a program.
            AccessFs::from_file(USED) & !BitFlags::from(AccessFs::Execute) | AccessFs::ReadDir
        }
    }
}
