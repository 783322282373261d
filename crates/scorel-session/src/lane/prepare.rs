use std::sync::Arc;

use scorel_proto::{InstructionPart, InstructionSnapshotBody, TurnError};

use super::Lane;
use super::instructions::snapshot_text;
use crate::{PreparedTurn, SessionError, TurnRequest, blocking};

impl Lane {
    /// Asks the host for what a turn of this session needs. On a blocking thread: the host reads
    /// configuration files and keys, anew for each turn. A turn that could not be prepared because
    /// too many files were open is prepared again.
    pub(crate) async fn prepare(
        self: &Arc<Self>,
    ) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
        let request = self.turn_request();
        loop {
            self.wait_for_descriptors().await;
            let (setup, request) = (self.setup(), request.clone());
            let prepared = blocking(move || setup.prepare(&request)).await?;
            if prepared.is_ok() || self.has_descriptors().await {
                return Ok(prepared);
            }
        }
    }

    fn turn_request(&self) -> TurnRequest {
        self.view(|view| TurnRequest {
            session_id: self.id(),
            project_id: self.header().project_id,
            model: view.state.model.clone(),
            thinking_level: view.state.thinking_level,
            tools: view.state.tools,
            allowed: view.state.allowed.clone(),
            blobs: self.blobs().clone(),
        })
    }

    /// The instructions that the session's requests have: those that a turn has frozen, else `parts`.
    pub(crate) async fn instructions_or(
        self: &Arc<Self>,
        parts: &[InstructionPart],
    ) -> Result<String, SessionError> {
        let place = {
            let published = self.published();
            let frozen = published.view().state.snapshot_seq;
            frozen.and_then(|seq| published.place_of(seq))
        };
        let Some(place) = place else {
            let parts = parts.to_vec();
            return Ok(InstructionSnapshotBody { parts }.text());
        };
        let lines = self.read_lines(vec![place]).await?;
        let damaged = "the instructions of the session are damaged in the log";
        let line = lines.first();
        snapshot_text(line.ok_or_else(|| SessionError::Filesystem(damaged.to_owned()))?)
    }
}
