use std::fmt;
use std::iter;
use std::sync::{Arc, OnceLock};

use scorel_config::ConfigSource;
use scorel_exec::Supervisors;
use scorel_guidance::extensions::Extensions;
use scorel_guidance::skills::SkillProject;
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

impl ProgramMeans {
    /// The places that declare programs: that of the user alone, then each project.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = Option<SkillProject>> {
        let projects = self.projects.list().into_iter();
        let projects = projects.map(|it| SkillProject {
            id: it.project_id,
            dir: it.work_dir.into(),
        });
        iter::once(None).chain(projects.map(Some))
    }
}

impl fmt::Debug for ProgramMeans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramMeans").finish_non_exhaustive()
    }
}
