//! Servers of the Model Context Protocol: those of the user, and those that a project declares.
//!
//! In: `[[mcp.servers]]` of the configuration, and the files of other programs in a project. Out: each with its settings, or
//! the reason why it is inert. A project's is inert until its item `mcp:<name>` is trusted, by a digest over its entry
//! and the files that its command names.

mod declared;
mod found;
mod instructions;
mod item;
mod of_plugin;
mod offered;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_config::{Config, ConfigSource, McpServer};

use crate::extensions::Extensions;
use crate::project::SkillProject;
use crate::trust::{Admitted, ProjectItem, ProjectTrust, TrustError, TrustStore};
use declared::{DeclaredServer, DeclaredServers};
use item::{item, named_files};
use of_plugin::of_plugin;

pub use found::{FoundMcpServer, McpServerState};
pub use instructions::instructions;
pub use offered::OfferedServers;

/// Finds servers, as they are declared now.
#[derive(Debug, Clone)]
pub struct McpServers {
    home: PathBuf,
    trust: Arc<TrustStore>,
    config: Arc<ConfigSource>,
    extensions: Extensions,
}

impl McpServers {
    pub fn new(
        home: &Path,
        trust: Arc<TrustStore>,
        config: Arc<ConfigSource>,
        extensions: Extensions,
    ) -> Self {
        Self {
            home: home.to_owned(),
            trust,
            config,
            extensions,
        }
    }

    /// Those of the user, those of plugins, then those of the project. One of the project never replaces one of the user. Reads
    /// files; blocks.
    ///
    /// # Errors
    /// If the list of trusted items cannot be read.
    pub fn find(&self, project: Option<&SkillProject>) -> Result<Vec<FoundMcpServer>, TrustError> {
        let config = self.config.current(project.map(|it| it.dir.as_path()));
        let file = self.home.join("config.toml");
        let of_user = config.mcp.servers.iter();
        let mut found: Vec<_> = of_user.map(|it| of_the_user(it, &file, &config)).collect();
        let directory = project.map_or(self.home.as_path(), |it| it.dir.as_path());
        for used in self.extensions.plugins(project)? {
            found.extend(of_plugin(&used, directory, |it| is_disabled(it, &config)));
        }
        let Some(project) = project else {
            return Ok(found);
        };
        let declared = DeclaredServers::of(&project.dir, &config);
        if declared.is_empty() {
            return Ok(found);
        }
        let trust = self.trust.of(project.id)?;
        let root = project.dir.canonicalize().ok();
        for it in declared {
            let item = item(&project.dir, &it, &config);
            found.push(FoundMcpServer {
                state: match &it.server {
                    _ if item.is_shadowed => McpServerState::Shadowed,
                    Err(problem) => McpServerState::NotRun(problem.clone()),
                    Ok(server) if is_disabled(server, &config) => McpServerState::Disabled,
                    Ok(server) => state(&trust, &item, server),
                },
                files: root
                    .iter()
                    .flat_map(|root| files(root, &project.dir, &it))
                    .collect(),
                line: it.server.as_ref().map(McpServer::line).unwrap_or_default(),
                transport: it.server.ok().map(|it| it.transport),
                name: it.name,
                file: project.dir.join(it.file),
                is_project: true,
                place: None,
            });
        }
        Ok(found)
    }

    /// The servers that a project declares, as items to be trusted. Reads files; blocks.
    pub fn project_items(&self, project: &Path) -> Vec<ProjectItem> {
        let config = self.config.current(Some(project));
        let declared = DeclaredServers::of(project, &config);
        let items = declared.into_iter().map(|it| item(project, &it, &config));
        items.collect()
    }
}

fn of_the_user(server: &McpServer, file: &Path, config: &Config) -> FoundMcpServer {
    let state = match is_disabled(server, config) {
        true => McpServerState::Disabled,
        false => McpServerState::Usable(Arc::new(server.clone())),
    };
    FoundMcpServer {
        name: server.name.to_string(),
        line: server.line(),
        transport: Some(server.transport.clone()),
        file: file.to_owned(),
        files: Vec::new(),
        is_project: false,
        place: None,
        state,
    }
}

fn files(root: &Path, project: &Path, declared: &DeclaredServer) -> Vec<PathBuf> {
    let named = named_files(project, declared);
    named.present().map(|path| root.join(path)).collect()
}

fn is_disabled(server: &McpServer, config: &Config) -> bool {
    config.mcp.disabled.contains(&server.name)
}

fn state(trust: &ProjectTrust, item: &ProjectItem, server: &McpServer) -> McpServerState {
    match trust.admit(item) {
        Ok(Admitted::InPlace | Admitted::Copy(_)) => {
            McpServerState::Usable(Arc::new(server.clone()))
        }
        Err(inert) => McpServerState::Inert(inert),
    }
}

#[cfg(test)]
mod tests;
