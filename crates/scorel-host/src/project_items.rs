//! Items that a project brings, inert until a user trusts them.
//!
//! In: the project's directory. Out: its skills, hooks, servers, extensions and workflows, as they are now. A file that
//! cannot be read is an item with a problem, so that people see it.

mod hooks;

use std::path::Path;
use std::sync::Arc;

use scorel_config::ConfigSource;
use scorel_guidance::extensions::Extensions;
use scorel_guidance::mcp::McpServers;
use scorel_guidance::skills::Skills;
use scorel_guidance::trust::ProjectItem;
use scorel_runs::Runs;

/// Finds the items of projects.
#[derive(Debug, Clone)]
pub(crate) struct ProjectItems {
    skills: Skills,
    extensions: Extensions,
    servers: McpServers,
    runs: Arc<Runs>,
    config: Arc<ConfigSource>,
}

impl ProjectItems {
    pub(crate) const fn new(
        skills: Skills,
        extensions: Extensions,
        servers: McpServers,
        runs: Arc<Runs>,
        config: Arc<ConfigSource>,
    ) -> Self {
        Self {
            skills,
            extensions,
            servers,
            runs,
            config,
        }
    }

    /// The items of the project in a directory. Reads files; blocks.
    pub(crate) fn of(&self, project: &Path) -> Vec<ProjectItem> {
        let mut items = self.skills.project_items(project);
        items.extend(hooks::items(project, &self.config.current(Some(project))));
        items.extend(self.servers.project_items(project));
        items.extend(self.extensions.project_items(project));
        items.extend(self.runs.project_items(project));
        items
    }
}

#[cfg(test)]
mod tests;
