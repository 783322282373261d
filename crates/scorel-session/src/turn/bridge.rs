use std::collections::HashMap;

use scorel_engine::{EngineEvent, ToolCall};
use scorel_proto::{
    AuxiliaryUsageBody, EventId, FileBefore, Message, MessageBody, MessageCancelled, MessageRunner,
    MessageStart, ModelRetry, OpenCall, PersistentBody, RequestProof, Role, SessionView, TextDelta,
    ThinkingDelta, ToolCallDelta, ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate,
    ToolStartedBody, TransientBody, TurnStart, TurnWaitingBody, WaitKind,
};

use super::task::TurnTask;
use crate::SessionError;
use crate::clock::millis;
use crate::lane::EventDraft;

/// Gives the engine's events their ids and hands them to the lane.
pub(super) struct TurnBridge {
    task: TurnTask,
    /// The runner that the messages come from; `None` is the engine.
    runner: Option<MessageRunner>,
    /// The id of the message that is being generated.
    message: EventId,
    /// The proof of the request that the next message answers, if its record has to have one.
    request: Option<Box<RequestProof>>,
    /// The ids of the results to come, by tool call id. Clients know them since
    /// `tool_execution_start`.
    results: HashMap<String, EventId>,
}

impl TurnBridge {
    pub(super) fn new(task: TurnTask, runner: Option<MessageRunner>) -> Self {
        Self {
            task,
            runner,
            message: EventId::generate(),
            request: None,
            results: HashMap::new(),
        }
    }

    /// The runner's context from now on.
    pub(super) fn set_context(&mut self, context: Option<&str>) {
        if let Some(runner) = &mut self.runner {
            runner.context_id = context.map(str::to_owned);
        }
    }

    /// A model call is about to be made.
    pub(super) fn answers_to(&mut self, request: Option<RequestProof>) {
        self.request = request.map(Box::new);
    }

    /// Returns when an event that must be durable is durable.
    pub(super) async fn handle(&mut self, event: EngineEvent) -> Result<(), SessionError> {
        match event {
            EngineEvent::MessageStart { model } => self.start_message(model).await,
            EngineEvent::MessageEnd { mut message } => {
                message.meta.runner.clone_from(&self.runner);
                message.meta.request = self.request.take();
                let body = MessageBody::new(Message::Assistant(message));
                self.commit_message(self.message, body).await
            }
            EngineEvent::ToolExecutionStart {
                call,
                files,
                changed_by,
            } => self.start_tool(call, files, changed_by).await,
            EngineEvent::ToolResult {
                mut message,
                recorded,
            } => {
                message.meta.runner.clone_from(&self.runner);
                let id = self.results.remove(&message.result().tool_use_id);
                let id = id.unwrap_or_else(EventId::generate);
                let body = MessageBody::new(Message::ToolResult(message)).recording(recorded);
                self.commit_message(id, body).await
            }
            EngineEvent::Waiting {
                wait,
                duration,
                reason,
            } => {
                let body = PersistentBody::TurnWaiting(TurnWaitingBody {
                    until: self.task.lane.moment_after(duration),
                    reason,
                    kind: Some(WaitKind::RateLimit),
                    attempt: Some(wait),
                });
                self.task.commit_and_announce(body).await
            }
            EngineEvent::CallCharged { model, usage, cost } => {
                let body = PersistentBody::AuxiliaryUsage(AuxiliaryUsageBody {
                    purpose: self.purpose().to_owned(),
                    model,
                    usage,
                    cost,
                });
                self.task.commit_and_announce(body).await
            }
            other => match self.transient(other) {
                Some(body) => self.show(body).await,
                None => Ok(()),
            },
        }
    }

    /// What a charge without a message is for.
    const fn purpose(&self) -> &'static str {
        match self.runner {
            Some(_) => AuxiliaryUsageBody::RUNNER,
            None => AuxiliaryUsageBody::FAILED_CALL,
        }
    }

    /// The transient event for an engine event, if it is no more than that.
    fn transient(&self, event: EngineEvent) -> Option<TransientBody> {
        let event_id = self.message;
        let result_id = |call_id: &str| self.results.get(call_id).copied();
        Some(match event {
            EngineEvent::TurnStart { index } => {
                TransientBody::TurnStart(TurnStart { turn_index: index })
            }
            EngineEvent::TurnEnd {
                index,
                usage,
                stop_reason,
            } => TransientBody::TurnEnd(scorel_proto::TurnEnd {
                turn_index: index,
                usage,
                stop_reason,
            }),
            EngineEvent::TextDelta { block, delta } => TransientBody::TextDelta(TextDelta {
                event_id,
                block_index: block,
                delta,
                from_seq: None,
            }),
            EngineEvent::ThinkingDelta { block, delta } => {
                TransientBody::ThinkingDelta(ThinkingDelta {
                    event_id,
                    block_index: block,
                    delta,
                    from_seq: None,
                })
            }
            EngineEvent::ToolCallDelta {
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
            EngineEvent::Retrying {
                attempt,
                error,
                delay,
            } => TransientBody::ModelRetry(ModelRetry {
                attempt,
                error,
                until: self.task.lane.moment_after(delay),
            }),
            EngineEvent::MessageCancelled { reason } => {
                TransientBody::MessageCancelled(MessageCancelled { event_id, reason })
            }
            EngineEvent::ToolExecutionUpdate { call_id, partial } => {
                TransientBody::ToolExecutionUpdate(ToolExecutionUpdate {
                    event_id: result_id(&call_id)?,
                    tool_call_id: call_id,
                    partial,
                })
            }
            EngineEvent::ToolExecutionEnd {
                call_id,
                name,
                duration,
                is_error,
            } => TransientBody::ToolExecutionEnd(ToolExecutionEnd {
                event_id: result_id(&call_id)?,
                tool_call_id: call_id,
                tool_name: name,
                duration_ms: millis(duration),
                is_error,
            }),
            EngineEvent::MessageStart { .. }
            | EngineEvent::MessageEnd { .. }
            | EngineEvent::ToolExecutionStart { .. }
            | EngineEvent::ToolResult { .. }
            | EngineEvent::CallCharged { .. }
            | EngineEvent::Waiting { .. } => return None,
        })
    }

    async fn show(&self, body: TransientBody) -> Result<(), SessionError> {
        self.task.lane.show(self.task.turn_id, body).await
    }

    async fn start_message(&mut self, model: String) -> Result<(), SessionError> {
        self.message = EventId::generate();
        let parent_id = self.task.lane.view(SessionView::leaf);
        self.show(TransientBody::MessageStart(MessageStart {
            event_id: self.message,
            parent_id,
            role: Role::Assistant,
            model: Some(model),
        }))
        .await
    }

    async fn commit_message(&mut self, id: EventId, body: MessageBody) -> Result<(), SessionError> {
        let body = PersistentBody::Message(body);
        let draft = EventDraft::new(body).with_id(id).in_turn(self.task.turn_id);
        self.task
            .lane
            .persist(move |section| section.commit_any_size(&draft).map(drop))
            .await
    }

    /// Returns whether the last record about a call names another tool, through which the model called this one.
    fn is_unwrapped(&self, call: &ToolCall) -> bool {
        let is_it = |open: &&OpenCall| open.tool_call_id == call.id && open.started.is_none();
        self.task.lane.view(|view| {
            let mut calls = view.state.turn.iter().flat_map(|turn| &turn.calls);
            let open = calls.find(is_it);
            open.is_some_and(|open| open.ran_by.is_none() && open.tool_name != call.name)
        })
    }

    /// Records `tool_started` before the tool starts. Without the record, recovery would take a call
    /// that had effects for one that never ran.
    async fn start_tool(
        &mut self,
        call: ToolCall,
        files: Vec<FileBefore>,
        changed_by: Vec<String>,
    ) -> Result<(), SessionError> {
        self.task.wait_for_descriptors().await;
        let event_id = EventId::generate();
        let ran_by = self.runner.as_ref().map(|runner| runner.name.clone());
        let first_open = self.results.is_empty();
        self.results.insert(call.id.clone(), event_id);
        let started = PersistentBody::ToolStarted(ToolStartedBody {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            event_id,
            files,
            ran_by: ran_by.clone(),
            input: (!changed_by.is_empty() || self.is_unwrapped(&call)).then(|| call.input.clone()),
            changed_by,
        });
        let turn_id = self.task.turn_id;
        self.task
            .lane
            .persist(move |section| {
                section.commit(EventDraft::new(started.clone()).in_turn(turn_id))?;
                // Cannot stall: the record has just reserved numbers.
                let parent_id = section.view().leaf().filter(|_| first_open);
                let shown = TransientBody::ToolExecutionStart(ToolExecutionStart {
                    event_id,
                    parent_id,
                    tool_call_id: call.id.clone(),
                    tool_name: call.name.clone(),
                    args: call.input.clone(),
                    ran_by: ran_by.clone(),
                });
                section.show(turn_id, shown)
            })
            .await
    }
}
