//! Recovery: closes what a crash left open.
//!
//! Each record that it commits takes the fold one step further, so a crash during recovery is
//! continued by the next load and gives the same records.

use scorel_proto::{
    AssistantMessage, Block, EventId, InternalMessage, Message, MessageBody, MessageRunner, Meta,
    OnRestart, OpenCall, OpenTurn, OutcomeReason, PersistentBody, RunnerExitBody, StopReason,
    ToolResultBlock, ToolResultMessage, TurnId, TurnOutcomeBody, TurnResumedBody,
};

use super::{EventDraft, JobName, Section};
use crate::SessionError;
use crate::spool::SpooledMessage;

/// The message by which the model of a resumed turn learns of the interruption.
const INTERRUPTED: &str = "The program that runs you was interrupted and has started again. What \
    you said last may be cut off, and the outcome of a tool that was running is not known. Go on \
    from here.";

impl Section<'_> {
    /// Closes, resumes or continues the turn that the last daemon left open, if it did, and what the features
    /// have open.
    pub(super) fn recover(&mut self) -> Result<(), SessionError> {
        let Some(turn) = self.view().state.turn.clone() else {
            return self.recover_features();
        };
        let waits_on = self.published().is_waiting() && !self.is_parked_too_long();
        let resumes = !waits_on && self.resumes(&turn);
        // The next daemon goes on with the turn: here it would be interrupted at once, and for good.
        if (waits_on || resumes) && self.lane.shared.is_draining() {
            return Ok(());
        }
        if waits_on {
            // The supervisor ended the process with the daemon.
            self.end_run()?;
            self.unpark(&turn)?;
            self.begin_turn(turn.turn_id);
            return Ok(());
        }
        tracing::info!(session = %self.lane.id(), turn = %turn.turn_id, "a turn was interrupted");
        // Read before anything is committed. The downtime does not count for the turn.
        let last_sign = self.view().state.updated_at;
        self.keep_spooled(turn.turn_id)?;
        self.answer_open_calls("the daemon stopped")?;
        self.cancel_requests("the daemon stopped")?;
        // After the messages of the run, which its context holds.
        self.end_run()?;
        self.recover_features()?;
        if resumes {
            return self.resume(turn.turn_id);
        }
        let body = PersistentBody::TurnOutcome(TurnOutcomeBody {
            reason: OutcomeReason::Interrupted,
            error: None,
            usage: turn.usage,
            cost: turn.cost,
            steps: turn.steps,
            duration_ms: last_sign.saturating_sub(turn.started_at),
        });
        self.commit(EventDraft::new(body).in_turn(turn.turn_id))?;
        Ok(())
    }

    fn recover_features(&mut self) -> Result<(), SessionError> {
        let mut features = self.lane.seams.features.iter();
        features.try_for_each(|feature| feature.recover(self))
    }

    /// Returns whether an interrupted turn goes on: where that is wanted, and once.
    fn resumes(&self, turn: &OpenTurn) -> bool {
        let claimed = self.state.claimed == Some(turn.turn_id);
        let configured = self.lane.shared.settings.on_restart;
        let on_restart = self.view().state.on_restart.unwrap_or(configured);
        on_restart == OnRestart::Resume && (claimed || !turn.resumed)
    }

    /// Returns whether this daemon started too late to resume a parked turn. The time at which the session is
    /// loaded does not matter.
    fn is_parked_too_long(&self) -> bool {
        let view = self.view();
        let parked = view.state.turn.as_ref().filter(|turn| turn.is_parked());
        let until = parked.and_then(|turn| turn.waiting.as_ref());
        until.is_some_and(|waiting| self.lane.shared.opened_at >= waiting.until)
    }

    /// Records that a parked turn resumes, before it does: if the turn kills the daemon, the next one
    /// finds it interrupted and does not resume it for ever.
    fn unpark(&mut self, turn: &OpenTurn) -> Result<(), SessionError> {
        if turn.is_parked() {
            let resumed = PersistentBody::TurnResumed(TurnResumedBody {});
            self.commit(EventDraft::new(resumed).in_turn(turn.turn_id))?;
        }
        Ok(())
    }

    /// Records the end of a runner that ended unobserved, if its start has none: readers count on one
    /// `runner_exit` for each `runner_start`.
    pub(crate) fn end_run(&mut self) -> Result<(), SessionError> {
        let Some(run) = self.view().state.runners.run().cloned() else {
            return Ok(());
        };
        let last_sign = self.view().state.updated_at;
        let body = RunnerExitBody {
            trace_id: run.trace_id,
            code: None,
            signal: None,
            kept: false,
            duration_ms: last_sign.saturating_sub(run.started_at),
            log: None,
            files: Vec::new(),
            unwatched: None,
        };
        let body = body.recording(self.interrupted_run_files());
        let body = PersistentBody::RunnerExit(body);
        self.commit(EventDraft::new(body).in_turn(run.trace_id))?;
        Ok(())
    }

    /// Continues the turn. The claim is recorded first: a turn that kills the daemon does so once
    /// more, not for ever.
    fn resume(&mut self, turn_id: TurnId) -> Result<(), SessionError> {
        if self.state.claimed != Some(turn_id) {
            let claim = PersistentBody::TurnResumed(TurnResumedBody {});
            self.commit(EventDraft::new(claim).in_turn(turn_id))?;
            self.state.claimed = Some(turn_id);
        }
        let note = Message::Internal(InternalMessage {
            content: vec![Block::text(INTERRUPTED)],
            meta: Meta::default(),
        });
        let draft = EventDraft::new(message(note)).in_turn(turn_id);
        self.commit_first(draft, JobName::Turn(turn_id))?;
        self.begin_turn(turn_id);
        Ok(())
    }

    /// Makes a partial message of the text that clients were shown. Without text nothing remains.
    fn keep_spooled(&mut self, turn_id: TurnId) -> Result<(), SessionError> {
        let Some(spooled) = self.state.spool.read() else {
            return Ok(());
        };
        // The message itself may be in the log: a crash can come before the spool is emptied.
        let is_ours = spooled.turn_id == turn_id && !self.view().tree.contains(spooled.event_id);
        if is_ours && has_text(&spooled) {
            let id = spooled.event_id;
            let run = self.view().state.runners.run().cloned();
            let mut kept = partial(spooled);
            kept.meta.runner = run.map(|run| self.message_runner(run.runner));
            let draft = EventDraft::new(message(Message::Assistant(kept))).with_id(id);
            match self.commit_any_size(&draft.in_turn(turn_id)) {
                Err(SessionError::TooLarge { .. }) => {
                    tracing::warn!(session = %self.lane.id(), "a message is too large to be kept");
                }
                committed => committed.map(|_| ())?,
            }
        }
        self.state.spool.clear();
        Ok(())
    }

    /// The author of a runner's messages, with the context that it is bound to.
    pub(crate) fn message_runner(&self, name: String) -> MessageRunner {
        let view = self.view();
        let context = view.state.runners.of(&name);
        MessageRunner {
            context_id: context.map(|context| context.context_id.clone()),
            name,
        }
    }

    /// Gives every open tool call an error as its result: no call may stay without one.
    pub(crate) fn answer_open_calls(&mut self, cause: &str) -> Result<(), SessionError> {
        let Some(turn) = self.view().state.turn.clone() else {
            return Ok(());
        };
        let turn_id = turn.turn_id;
        for call in turn.calls {
            let id = call.started.unwrap_or_else(EventId::generate);
            let recorded = self.interrupted_files(&call);
            let runner = call.ran_by.clone().map(|name| self.message_runner(name));
            let recorded_result = self.recorded_result(&call);
            let mut result = recorded_result.unwrap_or_else(|| unknown_result(call, cause));
            result.meta.runner = runner;
            let result = Message::ToolResult(result);
            let body = MessageBody::new(result).recording(recorded);
            let draft = EventDraft::new(PersistentBody::Message(body)).with_id(id);
            self.commit(draft.in_turn(turn_id))?;
        }
        Ok(())
    }
}

impl Section<'_> {
    /// The result of a call of whose work a feature has a record.
    fn recorded_result(&self, call: &OpenCall) -> Option<ToolResultMessage> {
        let view = self.view();
        let mut features = self.lane.seams.features.iter();
        let outcome = features.find_map(|feature| feature.outcome_of(&view.state, call))?;
        let result = ToolResultBlock {
            tool_use_id: call.tool_call_id.clone(),
            content: outcome.content,
            is_error: outcome.is_error,
            details: outcome.details,
        };
        Some(ToolResultMessage::new(call.tool_name.clone(), result, 0))
    }
}

fn has_text(spooled: &SpooledMessage) -> bool {
    spooled.content.iter().any(|block| match block {
        Block::Text { text, .. } => !text.trim().is_empty(),
        _ => false,
    })
}

fn partial(spooled: SpooledMessage) -> AssistantMessage {
    AssistantMessage {
        content: spooled.content,
        model: spooled.model,
        stop_reason: StopReason::Interrupted,
        usage: None,
        cost: None,
        partial: true,
        meta: Meta::default(),
    }
}

fn message(message: Message) -> PersistentBody {
    PersistentBody::Message(MessageBody::new(message))
}

fn unknown_result(call: OpenCall, cause: &str) -> ToolResultMessage {
    let text = match (&call.ran_by, call.started) {
        (Some(runner), _) => format!("ran in {runner}, outcome unknown: {cause}"),
        (None, Some(_)) => format!("started, but its outcome is unknown: {cause} before it ended"),
        (None, None) => format!("not started: {cause}"),
    };
    ToolResultMessage::new(
        call.tool_name,
        ToolResultBlock::error(call.tool_call_id, text),
        0,
    )
}
