//! What a turn needs before its first model call.

use scorel_engine::ToolList;
use scorel_proto::{NoticeBody, OpenTurn, RuntimeStart, TransientBody, TurnError};

use super::task::TurnTask;
use crate::{Guidance, KnownGuidance, SessionError};

/// The beginning of the requests to come.
#[derive(Debug)]
pub(super) struct RenewedPrefix {
    /// The system prompt.
    pub(super) system: String,
    pub(super) tools: ToolList,
}

impl TurnTask {
    /// Publishes the start of the turn, and records its notices.
    pub(super) async fn announce(&self, notices: Vec<NoticeBody>) -> Result<(), SessionError> {
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
                section.tell_older(turn_id)
            })
            .await
    }

    /// Records new guidance for the model. Returns the session's instructions.
    pub(super) async fn tell_model(
        &self,
        known: KnownGuidance,
        mut guidance: Guidance,
    ) -> Result<String, SessionError> {
        if !self.is_at_start() {
            // Not in the middle of a turn: the next message may have to be a tool result, and the model
            // started with the old guidance.
            guidance.messages.clear();
        }
        self.lane.tell_model(self.turn_id, known, guidance).await
    }

    /// Returns whether the turn has made no call yet.
    fn is_at_start(&self) -> bool {
        self.lane.view(|view| {
            let turn = view.state.turn.as_ref();
            turn.is_none_or(|turn| turn.steps == 0 && turn.calls.is_empty())
        })
    }

    /// Renews instructions and tools in a turn whose earlier messages a compaction has just replaced: writes a
    /// new snapshot if something changed, and tells of the skills again.
    ///
    /// To be called right after `compact` is written, while no tool call is open.
    pub(super) async fn renew_guidance(
        &self,
    ) -> Result<Result<RenewedPrefix, TurnError>, SessionError> {
        let mut known = self.lane.known_guidance().await?;
        known.refresh = true;
        self.prepare_again(known).await
    }

    /// Takes the descriptions of tools out of the requests to come, since the endpoint refuses them. The model is told
    /// of them.
    ///
    /// To be called while no tool call is open.
    pub(super) async fn defer_tools(
        &self,
        refused: Vec<String>,
    ) -> Result<Result<RenewedPrefix, TurnError>, SessionError> {
        let mut known = self.lane.known_guidance().await?;
        known.refused_tools = refused;
        self.prepare_again(known).await
    }

    async fn prepare_again(
        &self,
        known: KnownGuidance,
    ) -> Result<Result<RenewedPrefix, TurnError>, SessionError> {
        let prepared = match self.lane.prepare_engine(known.clone()).await? {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Err(error)),
        };
        let (mut guidance, tools) = (prepared.guidance, prepared.ports.tools);
        if guidance.snapshot == known.snapshot {
            guidance.snapshot = None;
        }
        let told = self.lane.tell_model(self.turn_id, known, guidance);
        let system = told.await?;
        Ok(Ok(RenewedPrefix { system, tools }))
    }
}
