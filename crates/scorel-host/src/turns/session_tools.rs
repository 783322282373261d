//! The tools of a session.

use std::path::Path;
use std::sync::Arc;

use scorel_config::Config;
use scorel_engine::ToolList;
use scorel_fetch::WebFetch;
use scorel_guidance::instructions::{DeeperGuides, GuidedTool};
use scorel_guidance::skills::SkillTool;
use scorel_orchestrator::agent_tools;
use scorel_proto::{ErrorChain, TurnError};
use scorel_session::TurnRequest;
use scorel_tools::{ProjectTools, Roots, ToolHost};

use super::{SessionTools, Turns, config_error, skill_project, turn_error};
use crate::session_blobs::SessionBlobs;

impl Turns {
    /// The tools of a session: those on its project and those of other crates.
    pub(super) fn list(
        &self,
        request: &TurnRequest,
        config: &Arc<Config>,
        dir: &Path,
    ) -> Result<ToolList, TurnError> {
        let SessionTools { project, guides } = self.tools(request, config, dir)?;
        guides.set_epoch(request.known.epoch);
        let guided = |tool| GuidedTool::wrap(tool, &guides);
        let mut tools: Vec<_> = project.list().into_iter().map(guided).collect();
        let skills = SkillTool::shared(
            &self.skills,
            skill_project(request, dir),
            project.files().skills(),
        );
        tools.push(skills);
        let blobs = Arc::new(SessionBlobs(request.blobs.clone()));
        tools.push(Arc::new(WebFetch::new(self.fetcher.clone(), blobs)));
        if let Some(orchestrator) = self.orchestrator.upgrade() {
            let agents = orchestrator.host().agents(Some(request.project_id));
            tools.extend(agent_tools(&orchestrator, request.session_id, &agents));
        }
        ToolList::new(tools).map_err(|error| config_error(error.to_string()))
    }

    /// The tools on the project, which live as long as the session is loaded.
    pub(super) fn tools(
        &self,
        request: &TurnRequest,
        config: &Arc<Config>,
        dir: &Path,
    ) -> Result<SessionTools, TurnError> {
        if let Some(known) = self.known_tools(request.session_id) {
            self.recorders
                .set_limits(request.session_id, config.checkpoints);
            if let Some(commands) = known.project.commands() {
                commands.set(self.commands.settings(config, dir));
            }
            return Ok(known);
        }
        let blobs = Arc::new(SessionBlobs(request.blobs.clone()));
        let project = self.open_projects.open(dir).map_err(|error| {
            let error = ErrorChain(&error);
            let text = format!("the project's directory cannot be used: {error}");
            turn_error("filesystem_error", text)
        })?;
        let recorder = self
            .recorders
            .of(request.session_id, &project, config.checkpoints);
        let host = ToolHost::new(&self.home, blobs)
            .with_umask(self.commands.umask(config, dir))
            .with_recorder(recorder);
        let opened = ProjectTools::on(Roots::new(project), host);
        let project = Arc::new(opened.with_commands(self.commands.open(config, dir)));
        let guides = Arc::new(DeeperGuides::new(project.files().project()));
        let opened = SessionTools { project, guides };
        let mut tools = self.open_tools();
        Ok(tools.entry(request.session_id).or_insert(opened).clone())
    }
}
