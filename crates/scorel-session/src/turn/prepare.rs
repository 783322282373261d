//! What a turn needs before its first model call.

use scorel_proto::{InstructionPart, NoticeBody, OpenTurn, RuntimeStart, TransientBody, TurnError};

use super::task::TurnTask;
use crate::{PreparedTurn, SessionError};

impl TurnTask {
    /// Asks the host for ports and instructions.
    pub(super) async fn prepare(&self) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
        self.lane.prepare().await
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
