use std::fmt;
use std::sync::{Arc, OnceLock};

use scorel_config::ConfigSource;
use scorel_exec::Supervisors;
use scorel_guidance::extensions::Extensions;
use scorel_home::{ProjectRegistry, SecretStore};
use scorel_workplace::CommandHost;

use super::program_calls::ProgramCalls;

/// The means to start programs.
pub(crate) struct ProgramMeans {
    pub(crate) extensions: Extensions,
    pub(crate) projects: Arc<ProjectRegistry>,
    pub(crate) supervisors: Arc<Supervisors>,
    pub(crate) commands: Arc<CommandHost>,
    pub(crate) config: Arc<ConfigSource>,
    pub(crate) secrets: SecretStore,
    /// Set once the methods exist, which are made after the host.
    pub(crate) calls: OnceLock<Arc<dyn ProgramCalls>>,
}

impl fmt::Debug for ProgramMeans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramMeans").finish_non_exhaustive()
    }
}
