//! Prompts of servers, as commands.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::join_all;
use scorel_config::McpShare;
use scorel_engine::spawn_blocking;
use scorel_guidance::skills::SkillProject;
use scorel_mcp_content::ServerPrompt;
use scorel_proto::{SessionId, SkillSource};

use super::McpClients;

/// The place that prompts are for.
#[derive(Debug, Clone)]
pub(crate) struct PromptPlace {
    pub(crate) project: SkillProject,
    /// Of the session, or of the project.
    pub(crate) directory: PathBuf,
    pub(crate) session: Option<SessionId>,
}

impl McpClients {
    /// The prompts of all servers that may be used, as they are known. Starts those of which nothing is known, and
    /// waits a moment for them.
    pub(crate) async fn prompts(self: &Arc<Self>, place: PromptPlace) -> Vec<ServerPrompt> {
        let (clients, session) = (Arc::clone(self), place.session);
        let placed = move || clients.placed(&place.project, &place.directory, session);
        let placed = spawn_blocking(placed).await.unwrap_or_default().into_iter();
        // Without a session, one that each session has for itself is not started.
        let shared = placed.filter(|it| session.is_some() || it.server.share != McpShare::Session);
        let prompts = shared.filter_map(|it| {
            let source = match it.found.is_project {
                true => SkillSource::Project,
                false => SkillSource::User,
            };
            Some(ServerPrompt::of(it.client.ok()?, source))
        });
        join_all(prompts).await.into_iter().flatten().collect()
    }
}
