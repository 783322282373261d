use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{Provider, TurnPorts};
use scorel_proto::{InstructionSnapshotBody, OWN_RUNNER, TurnError};
use tokio::time::timeout;

use super::Lane;
use crate::{
    CompactionSetup, KnownGuidance, PreparedEngine, PreparedTurn, SessionError, TurnBackend,
    TurnRequest, blocking,
};

/// The time that a preparation may take. Sources of tools have shorter limits of their own.
const LIMIT: Duration = Duration::from_secs(60);

impl Lane {
    /// Asks the host for what a turn of this session needs, anew for each turn. A turn that could not be
    /// prepared because too many files were open is prepared again.
    pub(crate) async fn prepare(
        self: &Arc<Self>,
        known: KnownGuidance,
    ) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
        let named = self.view(|view| view.state.runner_name().to_owned());
        let runner = Some(named).filter(|name| name != OWN_RUNNER);
        self.prepare_request(TurnRequest {
            runner,
            ..self.turn_request(known)
        })
        .await
    }

    /// What the engine needs in this session, whatever runs its turns.
    pub(crate) async fn prepare_engine(
        self: &Arc<Self>,
        known: KnownGuidance,
    ) -> Result<Result<PreparedEngine, TurnError>, SessionError> {
        let prepared = self.prepare_request(self.turn_request(known)).await?;
        Ok(match prepared.map(|prepared| prepared.backend) {
            Ok(TurnBackend::Engine(engine)) => Ok(engine),
            Ok(TurnBackend::Runner(_)) => {
                let defect = "the host prepared a runner where the engine was asked for";
                return Err(SessionError::Internal(defect.to_owned()));
            }
            Err(error) => Err(error),
        })
    }

    /// Another model than the session's, by the name that its answers have. `None` if it cannot be used.
    pub(crate) async fn summary_model(
        self: &Arc<Self>,
        name: String,
    ) -> Result<Option<Arc<dyn Provider>>, SessionError> {
        let (setup, project, blobs) =
            (self.setup(), self.header().project_id, self.blobs().clone());
        blocking(move || setup.summary_model(project, &name, blobs)).await
    }

    async fn prepare_request(
        self: &Arc<Self>,
        request: TurnRequest,
    ) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
        loop {
            self.wait_for_descriptors().await;
            let preparing = Arc::clone(self.resources()).prepare(request.clone());
            let prepared = timeout(LIMIT, preparing).await;
            let prepared = prepared.unwrap_or_else(|_| Err(too_slow()));
            if prepared.is_ok() || self.has_descriptors() {
                return Ok(prepared);
            }
        }
    }

    fn turn_request(&self, known: KnownGuidance) -> TurnRequest {
        self.view(|view| TurnRequest {
            session_id: self.id(),
            project_id: self.header().project_id,
            turn_id: view.state.turn.as_ref().map(|turn| turn.turn_id),
            agent: self.header().agent.clone(),
            worktree: self.header().worktree().cloned(),
            channel: view
                .state
                .turn
                .as_ref()
                .and_then(|turn| turn.channel.clone()),
            runner: None,
            model: view.state.model.clone(),
            thinking_level: view.state.thinking_level,
            tools: view.state.tools,
            allowed: view.state.allowed.clone(),
            blobs: self.blobs().clone(),
            known,
        })
    }

    /// What a request outside a turn needs, with the instructions that the session's requests have:
    /// those that a turn has frozen, else those that the next turn would.
    pub(crate) async fn prepare_outside_turn(
        self: &Arc<Self>,
    ) -> Result<Result<(TurnPorts, CompactionSetup), TurnError>, SessionError> {
        let known = self.known_guidance().await?;
        let frozen = known.snapshot.clone();
        let prepared = self.prepare_engine(known).await?;
        Ok(prepared.map(|prepared| {
            let mut ports = prepared.ports;
            let parts = frozen.or(prepared.guidance.snapshot).unwrap_or_default();
            ports.system = InstructionSnapshotBody { parts }.text();
            (ports, prepared.compaction)
        }))
    }
}

fn too_slow() -> TurnError {
    TurnError {
        code: "setup_timeout".to_owned(),
        message: format!(
            "the turn could not be prepared within {} s",
            LIMIT.as_secs()
        ),
        retryable: true,
        hint: None,
        resets_at: None,
        sizes: None,
    }
}
