//! Which files and ports a command may use.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::grants::{self, Grant, Kind};
use crate::sandbox::Sandbox;

/// What every sandbox has to restrict.
const REQUIRED: ABI = ABI::V3;

/// The newest version whose restrictions are used.
const USED: ABI = ABI::V6;

/// Why files and ports cannot be restricted.
#[derive(Debug, thiserror::Error)]
pub(super) enum LandlockError {
    #[error("{0}")]
    Rules(#[from] RulesetError),
    #[error("the kernel does not do it")]
    NotEnforced,
}

/// The version of Landlock in the running kernel, up to [`USED`]; 0 without.
pub(crate) fn version() -> u32 {
    let has_files = |abi| strict().handle_access(AccessFs::from_all(abi)).is_ok();
    let has_ports = || strict().handle_access(AccessNet::from_all(ABI::V4)).is_ok();
    let has_scopes = || strict().scope(Scope::from_all(ABI::V6)).is_ok();
    let checks: [&dyn Fn() -> bool; 6] = [
        &|| has_files(ABI::V1),
        &|| has_files(ABI::V2),
        &|| has_files(ABI::V3),
        &has_ports,
        &|| has_files(ABI::V5),
        &has_scopes,
    ];
    let versions = (1..).zip(checks);
    versions
        .take_while(|(_, check)| check())
        .map(|(version, _)| version)
        .last()
        .unwrap_or(0)
}

fn strict() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

/// Restricts this thread and everything that it becomes and starts.
pub(super) fn restrict(sandbox: &Sandbox) -> Result<(), LandlockError> {
    let mut ruleset = strict()
        .handle_access(AccessFs::from_all(REQUIRED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(USED))?
        .scope(Scope::from_all(USED))?;
    if !sandbox.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(USED))?;
    }
    let mut created = ruleset.create()?;
    for grant in grants::of(sandbox) {
        created = match rule(&grant) {
            Some(rule) => created.add_rule(rule)?,
            None => created,
        };
    }
    match created.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Err(LandlockError::NotEnforced),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

/// The rule for one place; nothing if nothing is there any more. Links are not followed: what they
/// lead to is granted where it is.
fn rule(grant: &Grant) -> Option<PathBeneath<std::os::fd::OwnedFd>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = open(&grant.path, flags, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(fstat(&place).ok()?.st_mode);
    let access = match kind {
        FileType::Symlink => return None,
        FileType::Directory => access(grant.kind),
        _ => access(grant.kind) & AccessFs::from_file(USED),
    };
    (!access.is_empty()).then(|| PathBeneath::new(place, access))
}

fn access(kind: Kind) -> BitFlags<AccessFs> {
    match kind {
        Kind::List => AccessFs::ReadDir.into(),
        Kind::Read => AccessFs::from_read(USED),
        Kind::Write => {
            let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
            AccessFs::from_all(USED) & !devices & !BitFlags::from(AccessFs::IoctlDev)
        }
        Kind::Device => {
            AccessFs::from_file(USED) & !BitFlags::from(AccessFs::Execute) | AccessFs::ReadDir
        }
    }
}
