use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_config::{Config, ConfigSource};
use scorel_home::ProjectRegistry;
use scorel_proto::Project;
use scorel_tools::OpenProjects;
use scorel_workplace::CommandHost;

/// The directories of projects, and what opens tools on them.
#[derive(Debug)]
pub(super) struct Workplaces {
    pub(super) projects: Arc<ProjectRegistry>,
    pub(super) config: Arc<ConfigSource>,
    pub(super) home: PathBuf,
    pub(super) commands: Arc<CommandHost>,
    pub(super) open_projects: OpenProjects,
}

impl Workplaces {
    /// The configuration of a project. Reads files.
    pub(super) fn config_of(&self, project: &Project) -> Arc<Config> {
        self.config.current(Some(Path::new(&project.work_dir)))
    }
}
