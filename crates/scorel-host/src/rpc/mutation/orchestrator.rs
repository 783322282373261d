//! The orchestrator of a project: which session it is, from the first `openOrchestrator` until that session is
//! archived or deleted.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Subject;
use scorel_proto::{ClientId, CreateSessionParams, ProjectId, SessionId, ToolPreset};
use scorel_session::SessionError;

use crate::host::Host;
use crate::rpc::call_error::CallError;

impl Host {
    /// The project's orchestrator: the recorded one; else, from before there was a record, the session with
    /// the preset for it that was changed last; else a new one.
    pub(super) async fn open_orchestrator(
        &self,
        client_id: ClientId,
        session_id: SessionId,
        project_id: ProjectId,
    ) -> Result<Subject, CallError> {
        // Two calls at once must not make two.
        let _opening = self.opening.lock().await;
        let project = self.project(project_id)?;
        if let Some(known) = project.orchestrator_session_id
            && self.is_in_use(known).await
        {
            return Ok(Subject::SessionId(known));
        }
        let chosen = match self.sessions.orchestrator(project_id).await? {
            Some(known) => known,
            None => {
                let params = CreateSessionParams {
                    project_id,
                    title: Some("Orchestrator".to_owned()),
                    model: None,
                    runner: None,
                    thinking_level: None,
                    tools: Some(ToolPreset::Orchestrator),
                    command_id: None,
                };
                self.create_session(client_id, session_id, params).await?;
                session_id
            }
        };
        self.record_orchestrator(project_id, Some(chosen)).await?;
        Ok(Subject::SessionId(chosen))
    }

    /// True for a session that is there and not archived. One that cannot be read stays what it is.
    async fn is_in_use(&self, id: SessionId) -> bool {
        match self.sessions.get(id).await {
            Ok(lane) => lane.session().is_ok_and(|session| !session.archived),
            Err(SessionError::NotFound(_)) => false,
            Err(_) => true,
        }
    }

    /// A session is archived or deleted, so it is not the orchestrator of its project any more. If that
    /// cannot be written, the next `openOrchestrator` sees it.
    pub(crate) async fn forget_orchestrator(&self, session_id: SessionId) {
        let _opening = self.opening.lock().await;
        let projects = self.projects.list().into_iter();
        let mut of_it = projects.filter(|it| it.orchestrator_session_id == Some(session_id));
        if let Some(project) = of_it.next()
            && let Err(error) = self.record_orchestrator(project.project_id, None).await
        {
            tracing::warn!(session = %session_id, %error, "a project keeps its old orchestrator");
        }
    }

    async fn record_orchestrator(
        &self,
        project_id: ProjectId,
        session_id: Option<SessionId>,
    ) -> Result<(), CallError> {
        let projects = Arc::clone(&self.projects);
        let set = move || projects.set_orchestrator(project_id, session_id);
        let changed = spawn_blocking(set).await??;
        if let Some(project) = changed {
            self.sessions.host().project_changed(&project);
        }
        Ok(())
    }
}
