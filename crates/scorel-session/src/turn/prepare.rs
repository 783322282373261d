//! What a turn needs before its first model call.

use std::time::Duration;

use scorel_proto::{
    InstructionPart, NoticeBody, PersistentBody, RuntimeStart, TransientBody, TurnError,
    TurnResumedBody,
};
use scorel_runtime::StopCause;

use super::task::TurnTask;
use crate::clock::now_ms;
use crate::lane::EventDraft;
use crate::{PreparedTurn, SessionError};

impl TurnTask {
    /// Asks the host for ports and instructions.
    pub(super) async fn prepare(&self) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
        self.lane.prepare().await
    }

    /// Opens the turn for subscribers, tells the user what there is to tell, and returns the session's
    /// instructions.
    pub(super) async fn begin(
        &self,
        parts: Vec<InstructionPart>,
        notices: Vec<NoticeBody>,
    ) -> Result<String, SessionError> {
        let turn_id = self.turn_id;
        let start = TransientBody::RuntimeStart(RuntimeStart {});
        self.lane.show(turn_id, start).await?;
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

    /// Waits on in a turn that was waiting when the last daemon stopped. Returns why it must end, if
    /// it must.
    pub(super) async fn wait_on(&self) -> Result<Option<StopCause>, SessionError> {
        let until = self.lane.view(|view| {
            let turn = view.state.turn.as_ref();
            turn.and_then(|turn| turn.waiting.as_ref())
                .map(|waiting| waiting.until)
        });
        let Some(until) = until else {
            return Ok(None);
        };
        let rest = Duration::from_millis(until.saturating_sub(now_ms()));
        tokio::select! {
            biased;
            cause = self.stop.fired() => return Ok(Some(cause)),
            () = tokio::time::sleep(rest) => {}
        }
        let resumed = PersistentBody::TurnResumed(TurnResumedBody {});
        let draft = EventDraft::new(resumed).in_turn(self.turn_id);
        self.lane
            .persist(move |section| {
                section.commit(draft.clone())?;
                section.announce();
                Ok(None)
            })
            .await
    }
}
