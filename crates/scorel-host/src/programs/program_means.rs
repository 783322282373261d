use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_config::ConfigSource;
use scorel_exec::Supervisors;
use scorel_home::SecretStore;
use scorel_proto::ProjectId;
use scorel_workplace::CommandHost;

/// The means to start programs.
pub(crate) struct ProgramMeans {
    pub(crate) home: PathBuf,
    pub(crate) supervisors: Arc<Supervisors>,
    pub(crate) commands: Arc<CommandHost>,
    pub(crate) config: Arc<ConfigSource>,
    pub(crate) secrets: SecretStore,
}

/// The project whose extension one is; `None` for the user's.
pub(crate) type ProgramScope = Option<(ProjectId, PathBuf)>;

impl fmt::Debug for ProgramMeans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramMeans")
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}
