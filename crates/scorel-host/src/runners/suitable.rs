//! What a permission mode means for a runner.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use scorel_config::RunnerConfig;
use scorel_engine::{RunnerAccess, RunnerCapabilities, RunnerError, RunnerErrorKind, ToolServer};
use scorel_permission::Mode;
use scorel_runner::WireRunner;

/// Refuses a runner that acts without asking where the user wants to be asked.
pub(crate) fn check_suitable(
    runner: &RunnerConfig,
    capabilities: RunnerCapabilities,
    mode: Mode,
) -> Result<(), RunnerError> {
    if capabilities.permissions || mode == Mode::Full || runner.trust_own {
        return Ok(());
    }
    let name = &runner.name;
    let message = format!("{name} never asks before it acts, and the mode is `{mode}`");
    let hint = format!(
        "set `trustOwn = true` in [runners.{name}] if it may do what it likes, or use the mode `full`"
    );
    Err(RunnerError::new(RunnerErrorKind::Unsuitable, message).with_hint(hint))
}

/// What a runner's own sandbox may allow without a question.
pub(crate) const fn access(mode: Mode) -> RunnerAccess {
    match mode {
        Mode::Readonly => RunnerAccess::ReadOnly,
        Mode::Ask | Mode::Workspace => RunnerAccess::Workspace,
        Mode::Full => RunnerAccess::Full,
    }
}

/// Identifies the settings of a process, with the environment, the secrets and the sandbox that these lead
/// to. Valid within this daemon only: the hash is not stable.
pub(crate) fn settings_hash(
    settings: &RunnerConfig,
    mode: Mode,
    tools: Option<&ToolServer>,
    runner: &WireRunner,
) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{settings:?} {mode:?} {tools:?}").hash(&mut hasher);
    runner.fingerprint().hash(&mut hasher);
    hasher.finish()
}
