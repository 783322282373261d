//! What a turn needs before its first model call.

use scorel_proto::{InstructionPart, NoticeBody, OpenTurn, RuntimeStart, TransientBody, TurnError};

use super::task::TurnTask;
use crate::{PreparedTurn, SessionError, TurnRequest, blocking};

impl TurnTask {
    /// Asks the host for ports and instructions. On a blocking thread: the host reads configuration
    /// files and keys, anew for each turn. A turn that could not be prepared because too many files
    /// were open is prepared again.
    pub(super) async fn prepare(&self) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
        let request = self.request();
        loop {
            self.lane.wait_for_descriptors().await;
            let (setup, request) = (self.lane.setup(), request.clone());
            let prepared = blocking(move || setup.prepare(&request)).await?;
            if prepared.is_ok() || self.lane.has_descriptors().await {
                return Ok(prepared);
            }
        }
    }

    fn request(&self) -> TurnRequest {
        let lane = &self.lane;
        lane.view(|view| TurnRequest {
            session_id: lane.id(),
            project_id: lane.header().project_id,
            model: view.state.model.clone(),
            thinking_level: view.state.thinking_level,
            tools: view.state.tools,
            allowed: view.state.allowed.clone(),
            blobs: lane.blobs().clone(),
        })
    }

    /// Opens the turn for subscribers, once, tells the user what there is to tell, and returns the session's
    /// instructions.
    pub(super) async fn begin(
        &self,
        parts: Vec<InstructionPart>,
        notices: Vec<NoticeBody>,
    ) -> Result<String, SessionError> {
        let turn_id = self.turn_id;
        let is_running = |turn: &OpenTurn| turn.running;
        let running = self
            .lane
            .view(|view| view.state.turn.as_ref().is_some_and(is_running));
        if !running {
            let start = TransientBody::RuntimeStart(RuntimeStart {});
            self.lane.show(turn_id, start).await?;
        }
        self.lane
            .persist(move |section| {
                section.announce();
                for notice in &notices {
                    section.tell(turn_id, notice)?;
                }
                section.freeze_instructions(turn_id, &parts)
            })
            .await
    }
}
