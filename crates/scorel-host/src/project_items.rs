//! Items that a project brings, inert until a user trusts them.
//!
//! In: the project's directory. Out: its skills, hooks, servers, extensions and workflows, as they are now. A file that
//! cannot be read is an item with a problem, so that people see it.

mod entries;
mod hooks;
mod workflows;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_config::ConfigSource;
use scorel_guidance::extensions::Extensions;
use scorel_guidance::mcp::McpServers;
use scorel_guidance::skills::Skills;
use scorel_guidance::trust::ProjectItem;

/// The directory of a project that is for the daemon.
const SCOREL: &str = ".scorel";

/// Finds the items of projects.
#[derive(Debug, Clone)]
pub(crate) struct ProjectItems {
    /// The daemon's home, where the user's own are.
    home: PathBuf,
    skills: Skills,
    extensions: Extensions,
    servers: McpServers,
    config: Arc<ConfigSource>,
}

impl ProjectItems {
    pub(crate) fn new(
        home: &Path,
        skills: Skills,
        extensions: Extensions,
        servers: McpServers,
        config: Arc<ConfigSource>,
    ) -> Self {
        Self {
            home: home.to_owned(),
            skills,
            extensions,
            servers,
            config,
        }
    }

    /// The items of the project in a directory. Reads files; blocks.
    pub(crate) fn of(&self, project: &Path) -> Vec<ProjectItem> {
        let mut items = self.skills.project_items(project);
        items.extend(hooks::items(project, &self.config.current(Some(project))));
        items.extend(self.servers.project_items(project));
        items.extend(self.extensions.project_items(project));
        if let Some(scorel) = self.directory_of(project) {
            items.extend(workflows::items(&scorel));
        }
        items
    }

    /// The project's directory for the daemon. A link could lead out of the project, and the home that is there
    /// in a project at the user's home directory is the user's own.
    fn directory_of(&self, project: &Path) -> Option<PathBuf> {
        let scorel = project.join(SCOREL);
        let is_directory = scorel.symlink_metadata().is_ok_and(|it| it.is_dir());
        let is_home = || {
            let real = |path: &Path| path.canonicalize().ok();
            real(&scorel) == real(&self.home)
        };
        (is_directory && !is_home()).then_some(scorel)
    }
}

#[cfg(test)]
mod tests;
