//! What a turn needs before its first model call.

use std::time::Duration;

use scorel_proto::{
    NoticeBody, PersistentBody, RuntimeStart, TransientBody, TurnError, TurnResumedBody,
};
use scorel_runtime::StopCause;

use super::task::TurnTask;
use crate::clock::now_ms;
use crate::lane::EventDraft;
use crate::{Guidance, KnownGuidance, PreparedTurn, SessionError, TurnRequest, blocking};

impl TurnTask {
    /// Asks the host for ports and instructions. On a blocking thread: the host reads configuration
    /// files and keys, anew for each turn. A turn that could not be prepared because too many files
    /// were open is prepared again.
    pub(super) async fn prepare(
        &self,
        known: KnownGuidance,
    ) -> Result<Result<PreparedTurn, TurnError>, SessionError> {
        let request = self.request(known);
        loop {
            self.lane.wait_for_descriptors().await;
            let (setup, request) = (self.lane.setup(), request.clone());
            let prepared = blocking(move || setup.prepare(&request)).await?;
            if prepared.is_ok() || self.lane.has_descriptors().await {
                return Ok(prepared);
            }
        }
    }

    fn request(&self, known: KnownGuidance) -> TurnRequest {
        let lane = &self.lane;
        lane.view(|view| TurnRequest {
            session_id: lane.id(),
            project_id: lane.header().project_id,
            model: view.state.model.clone(),
            thinking_level: view.state.thinking_level,
            tools: view.state.tools,
            allowed: view.state.allowed.clone(),
            blobs: lane.blobs().clone(),
            known,
        })
    }

    /// Opens the turn for subscribers, and tells the user and the model what there is to tell. Returns
    /// the session's instructions.
    pub(super) async fn begin(
        &self,
        known: KnownGuidance,
        mut guidance: Guidance,
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
                Ok(())
            })
            .await?;
        if !self.is_at_start() {
            // The next message may have to be a tool's result, and the model has begun with what it was
            // told before.
            guidance.messages.clear();
        }
        self.lane.tell_model(turn_id, known, guidance).await
    }

    /// Whether the turn has made no call yet.
    fn is_at_start(&self) -> bool {
        self.lane.view(|view| {
            let turn = view.state.turn.as_ref();
            turn.is_none_or(|turn| turn.steps == 0 && turn.calls.is_empty())
        })
    }

    /// Renews the instructions in a turn whose earlier messages a compaction has just replaced: writes a
    /// new snapshot if something changed, and tells of the skills again. Returns the system prompt of the
    /// calls that follow.
    ///
    /// To be called right after `compact` is written, while no tool call is open.
    #[expect(dead_code, reason = "nothing compacts yet")]
    pub(super) async fn renew_guidance(&self) -> Result<Result<String, TurnError>, SessionError> {
        let mut known = self.lane.known_guidance().await?;
        known.refresh = true;
        let mut prepared = match self.prepare(known.clone()).await? {
            Ok(prepared) => prepared.guidance,
            Err(error) => return Ok(Err(error)),
        };
        if prepared.snapshot == known.snapshot {
            prepared.snapshot = None;
        }
        let told = self.lane.tell_model(self.turn_id, known, prepared).await?;
        Ok(Ok(told))
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
