use std::collections::HashMap;
use std::sync::Arc;

use scorel_proto::{
    Block, EventId, MessageBody, MessageCancelled, MessageStart, PersistentBody, PersistentEvent,
    Role, StopReason, TextDelta, ThinkingDelta, ToolCallDelta, ToolExecutionEnd,
    ToolExecutionStart, ToolExecutionUpdate, ToolResultBlock, ToolResultMessage, ToolStartedBody,
    TransientBody, TurnId, TurnResumedBody, TurnStart, TurnWaitingBody,
};
use scorel_runtime::{CANCELLED, RawRuntimeEvent, ToolCall};

use crate::SessionError;
use crate::clock::now_ms;
use crate::lane::{Draft, Lane, RunningTurn};

/// Gives the engine's events their ids and places, and passes them to the lane.
///
/// [`Bridge::handle`] returns when an event that must be durable is durable.
pub(super) struct Bridge {
    lane: Arc<Lane>,
    turn_id: TurnId,
    running: RunningTurn,
    /// The events between the root and the active leaf, kept up to date while the turn runs: only
    /// the turn moves the leaf.
    path: Vec<PersistentEvent>,
    /// The id of the message that is being generated.
    message: EventId,
    /// The ids that the results of started calls will have.
    results: HashMap<String, EventId>,
}

impl Bridge {
    pub(super) fn new(lane: Arc<Lane>, running: RunningTurn, path: Vec<PersistentEvent>) -> Self {
        let message = EventId::generate();
        Self {
            lane,
            turn_id: running.turn_id,
            running,
            path,
            message,
            results: HashMap::new(),
        }
    }

    pub(super) fn path(&self) -> &[PersistentEvent] {
        &self.path
    }

    pub(super) async fn handle(&mut self, event: RawRuntimeEvent) -> Result<(), SessionError> {
        match event {
            RawRuntimeEvent::MessageStart { model } => self.start_message(model).await,
            RawRuntimeEvent::MessageEnd { mut message } => {
                if message.stop_reason == StopReason::Cancelled && self.running.is_interrupted() {
                    message.stop_reason = StopReason::Interrupted;
                }
                let message = scorel_proto::Message::Assistant(message);
                self.commit_message(self.message, message).await
            }
            RawRuntimeEvent::ToolExecutionStart { call } => self.start_tool(call).await,
            RawRuntimeEvent::ToolResult { message } => {
                let id = self.results.remove(&message.result().tool_use_id);
                let message = scorel_proto::Message::ToolResult(self.truthful(message));
                self.commit_message(id.unwrap_or_else(EventId::generate), message)
                    .await
            }
            RawRuntimeEvent::Waiting { duration, reason } => {
                let duration = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                let until = now_ms().saturating_add(duration);
                self.control(PersistentBody::TurnWaiting(TurnWaitingBody {
                    until,
                    reason,
                }))
                .await
            }
            RawRuntimeEvent::Resumed => {
                self.control(PersistentBody::TurnResumed(TurnResumedBody {}))
                    .await
            }
            other => match self.transient(other) {
                Some(body) => self.show(body).await,
                None => Ok(()),
            },
        }
    }

    /// The engine takes every stop for a person's. A call that was refused because the daemon stops
    /// says so.
    fn truthful(&self, message: ToolResultMessage) -> ToolResultMessage {
        let result = message.result();
        let refused = result.is_error && result.content == [Block::text(CANCELLED)];
        if refused && self.running.is_interrupted() {
            let result = ToolResultBlock::error(&result.tool_use_id, "not run: the daemon stopped");
            ToolResultMessage::new(message.tool_name, result, message.duration_ms)
        } else {
            message
        }
    }

    /// The events that are shown as they are.
    fn transient(&self, event: RawRuntimeEvent) -> Option<TransientBody> {
        let event_id = self.message;
        let result_id = |call_id: &str| self.results.get(call_id).copied();
        Some(match event {
            RawRuntimeEvent::TurnStart { index } => {
                TransientBody::TurnStart(TurnStart { turn_index: index })
            }
            RawRuntimeEvent::TurnEnd {
                index,
                usage,
                stop_reason,
            } => TransientBody::TurnEnd(scorel_proto::TurnEnd {
                turn_index: index,
                usage,
                stop_reason,
            }),
            RawRuntimeEvent::TextDelta { block, delta } => TransientBody::TextDelta(TextDelta {
                event_id,
                block_index: block,
                delta,
                from_seq: None,
            }),
            RawRuntimeEvent::ThinkingDelta { block, delta } => {
                TransientBody::ThinkingDelta(ThinkingDelta {
                    event_id,
                    block_index: block,
                    delta,
                    from_seq: None,
                })
            }
            RawRuntimeEvent::ToolCallDelta {
                block,
                call_id,
                name,
                delta,
            } => TransientBody::ToolCallDelta(ToolCallDelta {
                event_id,
                block_index: block,
                tool_call_id: call_id,
                tool_name: name,
                delta,
                from_seq: None,
            }),
            RawRuntimeEvent::MessageCancelled { reason } => {
                TransientBody::MessageCancelled(MessageCancelled { event_id, reason })
            }
            RawRuntimeEvent::ToolExecutionUpdate { call_id, partial } => {
                TransientBody::ToolExecutionUpdate(ToolExecutionUpdate {
                    event_id: result_id(&call_id)?,
                    tool_call_id: call_id,
                    partial,
                })
            }
            RawRuntimeEvent::ToolExecutionEnd {
                call_id,
                name,
                duration,
                is_error,
            } => TransientBody::ToolExecutionEnd(ToolExecutionEnd {
                event_id: result_id(&call_id)?,
                tool_call_id: call_id,
                tool_name: name,
                duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
                is_error,
            }),
            RawRuntimeEvent::MessageStart { .. }
            | RawRuntimeEvent::MessageEnd { .. }
            | RawRuntimeEvent::ToolExecutionStart { .. }
            | RawRuntimeEvent::ToolResult { .. }
            | RawRuntimeEvent::Waiting { .. }
            | RawRuntimeEvent::Resumed => return None,
        })
    }

    /// Shows an event. The common case never leaves this task's thread; only when the reserved
    /// numbers are used up a record must be written.
    async fn show(&self, body: TransientBody) -> Result<(), SessionError> {
        let body = {
            let mut state = self.lane.lock().await;
            match self.lane.try_show(&mut state, self.turn_id, body) {
                None => return Ok(()),
                Some(body) => body,
            }
        };
        let turn_id = self.turn_id;
        self.lane
            .section(move |lane, state| lane.show(state, turn_id, body))
            .await?
    }

    async fn start_message(&mut self, model: String) -> Result<(), SessionError> {
        self.message = EventId::generate();
        self.show(TransientBody::MessageStart(MessageStart {
            event_id: self.message,
            parent_id: self.path.last().map(|event| event.id),
            role: Role::Assistant,
            model: Some(model),
        }))
        .await
    }

    async fn commit_message(
        &mut self,
        id: EventId,
        message: scorel_proto::Message,
    ) -> Result<(), SessionError> {
        let body = PersistentBody::Message(MessageBody {
            message,
            queue_item_id: None,
        });
        let draft = Draft::new(body).with_id(id).in_turn(self.turn_id);
        let event = self
            .lane
            .section(move |lane, state| lane.commit_any_size(state, draft))
            .await??;
        self.path.push(event);
        Ok(())
    }

    async fn control(&self, body: PersistentBody) -> Result<(), SessionError> {
        let draft = Draft::new(body).in_turn(self.turn_id);
        self.lane
            .section(move |lane, state| {
                lane.commit(state, draft)?;
                lane.announce(state);
                Ok(())
            })
            .await?
    }

    /// That the tool starts is durable before it starts: after a crash its outcome is unknown, and
    /// without this record it would pass for not started.
    async fn start_tool(&mut self, call: ToolCall) -> Result<(), SessionError> {
        let event_id = EventId::generate();
        let first_open = self.results.is_empty();
        self.results.insert(call.id.clone(), event_id);
        let started = PersistentBody::ToolStarted(ToolStartedBody {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            event_id,
        });
        let shown = TransientBody::ToolExecutionStart(ToolExecutionStart {
            event_id,
            parent_id: first_open
                .then(|| self.path.last().map(|event| event.id))
                .flatten(),
            tool_call_id: call.id,
            tool_name: call.name,
            args: call.input,
        });
        let turn_id = self.turn_id;
        self.lane
            .section(move |lane, state| {
                lane.commit(state, Draft::new(started).in_turn(turn_id))?;
                lane.show(state, turn_id, shown)
            })
            .await?
    }
}
