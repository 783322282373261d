//! What a turn does, one event at a time.

use scorel_proto::{
    AssistantMessage, Block, ClientId, ContextTrimBody, CostTotal, EventId,
    InstructionSnapshotBody, Message, MessageBody, MessageCancelReason, MessageCancelled,
    MessageStart, Meta, OpenCall, OpenMessage, OpenTurn, OutcomeReason, PermissionDecision,
    PermissionDecisionBody, PermissionRequestBody, PermissionRequestId, PersistentBody, QueueItem,
    QueueItemId, QueueKind, QueueOp, QueueUpdateBody, Role, RuntimeEnd, RuntimeStart,
    SessionChanges, SessionInfoBody, StopReason, TextDelta, ThinkingDelta, ToolCallDelta,
    ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate, ToolResultBlock, ToolResultMessage,
    ToolStartedBody, TransientBody, TurnId, TurnOutcomeBody, TurnStart, Usage,
};
use serde_json::json;

use super::History;
use crate::lane::EventDraft;

impl History {
    /// One event that could come next.
    pub(super) async fn write(&mut self) {
        if self.home.is_off() {
            return;
        }
        if self.reference.damaged {
            let draft = EventDraft::new(self.session_info());
            let refused = !self.commit(draft).await;
            assert!(refused, "damage must be accepted first");
            return;
        }
        match self.reference.view.state.turn.clone() {
            _ if self.dice.one_in(12) => self.write_aside().await,
            None => self.begin_turn().await,
            Some(turn) if !turn.running => {
                self.show(turn.turn_id, TransientBody::RuntimeStart(RuntimeStart {}))
                    .await;
            }
            Some(turn) => self.go_on(turn).await,
        }
    }

    async fn write_aside(&mut self) {
        let body = match self.dice.below(4) {
            0 => self.session_info(),
            1 => self.context_trim(),
            _ => self.queue_update(),
        };
        self.commit(EventDraft::new(body)).await;
    }

    fn session_info(&mut self) -> PersistentBody {
        let changes = SessionChanges {
            title: Some(self.dice.text()),
            ..SessionChanges::default()
        };
        PersistentBody::SessionInfo(SessionInfoBody { changes })
    }

    /// Shortens some messages, also of other branches and those that are no results.
    fn context_trim(&mut self) -> PersistentBody {
        let nodes = self.reference.view.tree.nodes();
        let ids: Vec<EventId> = nodes.map(|node| node.id).collect();
        let mut event_ids = Vec::new();
        for _ in 0..self.dice.below(4).min(ids.len()) {
            event_ids.push(ids[self.dice.below(ids.len())]);
        }
        PersistentBody::ContextTrim(ContextTrimBody {
            event_ids,
            keep_chars: 4,
        })
    }

    fn queue_update(&mut self) -> PersistentBody {
        let queue = &self.reference.view.state.queue;
        let version = queue.version + 1;
        let op = match queue.items.first() {
            Some(first) if self.dice.one_in(2) => QueueOp::Remove {
                queue_item_id: first.queue_item_id,
            },
            _ => QueueOp::append(self.queue_item()),
        };
        PersistentBody::QueueUpdate(QueueUpdateBody {
            version,
            ops: vec![op],
            cancel_turn_id: None,
            cancel_compaction_id: None,
            cancel_restore_id: None,
        })
    }

    fn queue_item(&mut self) -> QueueItem {
        QueueItem {
            queue_item_id: QueueItemId::generate(),
            kind: QueueKind::FollowUp,
            content: vec![Block::text(self.dice.text())],
            client_id: ClientId::Daemon,
            edited_by: None,
            meta: None,
            command_id: None,
            digest: None,
        }
    }

    async fn begin_turn(&mut self) {
        let turn_id = TurnId::generate();
        let message = Message::user(self.dice.text());
        if self.say(turn_id, EventId::generate(), message).await && self.dice.one_in(2) {
            let body = InstructionSnapshotBody { parts: Vec::new() };
            let body = PersistentBody::InstructionSnapshot(body);
            self.commit(EventDraft::new(body).in_turn(turn_id)).await;
        }
    }

    async fn say(&mut self, turn_id: TurnId, id: EventId, message: Message) -> bool {
        let body = PersistentBody::Message(MessageBody::new(message));
        self.commit(EventDraft::new(body).with_id(id).in_turn(turn_id))
            .await
    }

    async fn go_on(&mut self, turn: OpenTurn) {
        let turn_id = turn.turn_id;
        let message = self.reference.view.open.messages.first().cloned();
        match (message, turn.calls.first().cloned()) {
            (Some(message), _) => self.go_on_talking(turn_id, message).await,
            (None, Some(call)) => self.go_on_calling(turn_id, call).await,
            (None, None) => match self.dice.below(5) {
                0 => self.end_turn(turn_id).await,
                1 => {
                    let body = TurnStart {
                        turn_index: turn.steps,
                    };
                    self.show(turn_id, TransientBody::TurnStart(body)).await;
                }
                _ => self.start_message(turn_id).await,
            },
        }
    }

    async fn start_message(&mut self, turn_id: TurnId) {
        let body = MessageStart {
            event_id: EventId::generate(),
            parent_id: self.reference.view.leaf(),
            role: Role::Assistant,
            model: Some("m".to_owned()),
        };
        self.show(turn_id, TransientBody::MessageStart(body)).await;
    }

    async fn go_on_talking(&mut self, turn_id: TurnId, message: OpenMessage) {
        match self.dice.below(8) {
            0 => self.finish_message(turn_id, message.event_id).await,
            1 => {
                let body = MessageCancelled {
                    event_id: message.event_id,
                    reason: MessageCancelReason::Error,
                };
                self.show(turn_id, TransientBody::MessageCancelled(body))
                    .await;
            }
            _ => {
                let delta = self.delta(&message);
                self.show(turn_id, delta).await;
            }
        }
    }

    /// Goes on with the last block, or begins the next one.
    fn delta(&mut self, message: &OpenMessage) -> TransientBody {
        use scorel_proto::OpenBlock::{Text, Thinking, ToolUse};
        let event_id = message.event_id;
        let last = message.blocks.last().filter(|_| !self.dice.one_in(5));
        let next = message.blocks.len() - usize::from(last.is_some());
        let block_index = u32::try_from(next).expect("small");
        let (kind, call) = match last {
            Some(Text { .. }) => (0, None),
            Some(Thinking { .. }) => (1, None),
            Some(ToolUse { tool_call_id, .. }) => (2, Some(tool_call_id.clone())),
            None => (self.dice.below(3), None),
        };
        let (delta, from_seq) = (self.dice.text(), None);
        match kind {
            0 => TransientBody::TextDelta(TextDelta {
                event_id,
                block_index,
                delta,
                from_seq,
            }),
            1 => TransientBody::ThinkingDelta(ThinkingDelta {
                event_id,
                block_index,
                delta,
                from_seq,
            }),
            _ => TransientBody::ToolCallDelta(ToolCallDelta {
                event_id,
                block_index,
                tool_name: call.is_none().then(|| "look".to_owned()),
                tool_call_id: call.unwrap_or_else(|| format!("c{block_index}")),
                delta,
                from_seq,
            }),
        }
    }

    async fn finish_message(&mut self, turn_id: TurnId, event_id: EventId) {
        let calls = self.dice.below(3);
        let call = |number| Block::ToolUse {
            id: format!("c{number}"),
            name: "look".to_owned(),
            input: json!({"at": number}),
            invalid_input: None,
            provider: None,
        };
        let text = Block::text(self.dice.text());
        let message = Message::Assistant(AssistantMessage {
            content: std::iter::once(text).chain((0..calls).map(call)).collect(),
            model: "m".to_owned(),
            stop_reason: StopReason::ToolUse,
            usage: Some(Usage {
                output_tokens: 3,
                ..Usage::default()
            }),
            cost: None,
            partial: false,
            meta: Meta::default(),
        });
        self.say(turn_id, event_id, message).await;
    }

    async fn go_on_calling(&mut self, turn_id: TurnId, call: OpenCall) {
        if self.dice.one_in(4) {
            return self.ask_or_answer(turn_id, &call).await;
        }
        let Some(event_id) = call.started else {
            return self.start_tool(turn_id, call).await;
        };
        match self.dice.below(4) {
            0 => {
                let body = ToolExecutionEnd {
                    event_id,
                    tool_call_id: call.tool_call_id,
                    tool_name: call.tool_name,
                    duration_ms: 7,
                    is_error: false,
                };
                self.show(turn_id, TransientBody::ToolExecutionEnd(body))
                    .await;
            }
            1 => {
                let text = self.dice.text();
                let result = ToolResultBlock::error(call.tool_call_id, text);
                let result = ToolResultMessage::new(call.tool_name, result, 7);
                self.say(turn_id, event_id, Message::ToolResult(result))
                    .await;
            }
            _ => {
                let body = ToolExecutionUpdate {
                    event_id,
                    tool_call_id: call.tool_call_id,
                    partial: json!({ "tail": self.dice.text() }),
                };
                self.show(turn_id, TransientBody::ToolExecutionUpdate(body))
                    .await;
            }
        }
    }

    async fn start_tool(&mut self, turn_id: TurnId, call: OpenCall) {
        let event_id = EventId::generate();
        let started = PersistentBody::ToolStarted(ToolStartedBody {
            tool_call_id: call.tool_call_id.clone(),
            tool_name: call.tool_name.clone(),
            event_id,
            files: Vec::new(),
            ran_by: None,
            input: None,
            changed_by: Vec::new(),
        });
        if self.commit(EventDraft::new(started).in_turn(turn_id)).await {
            let body = ToolExecutionStart {
                event_id,
                parent_id: self.reference.view.leaf(),
                tool_call_id: call.tool_call_id,
                tool_name: call.tool_name,
                args: json!({}),
                ran_by: None,
            };
            self.show(turn_id, TransientBody::ToolExecutionStart(body))
                .await;
        }
    }

    async fn ask_or_answer(&mut self, turn_id: TurnId, call: &OpenCall) {
        let open = self.reference.view.state.permissions.first();
        let body = match open {
            Some(request) => PersistentBody::PermissionDecision(PermissionDecisionBody {
                request_id: request.request_id,
                decision: PermissionDecision::Once,
                reason: None,
                by: None,
            }),
            None => PersistentBody::PermissionRequest(PermissionRequestBody {
                request_id: PermissionRequestId::generate(),
                tool_call_id: call.tool_call_id.clone(),
                tool_name: call.tool_name.clone(),
                input: json!({}),
                changed_by: Vec::new(),
                reason: "it writes".to_owned(),
                hook_reason: None,
                rules: Vec::new(),
                session_only: false,
                deadline: None,
                at_deadline: None,
            }),
        };
        self.commit(EventDraft::new(body).in_turn(turn_id)).await;
    }

    async fn end_turn(&mut self, turn_id: TurnId) {
        let reason = self
            .dice
            .pick(&[OutcomeReason::Completed, OutcomeReason::Cancelled]);
        let shown = TransientBody::RuntimeEnd(RuntimeEnd {
            reason,
            error: None,
        });
        let outcome = PersistentBody::TurnOutcome(TurnOutcomeBody {
            reason,
            error: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
            steps: 1,
            duration_ms: 1,
        });
        let draft = EventDraft::new(outcome).in_turn(turn_id);
        let expected = Some((turn_id, shown.clone()));
        self.act(
            |section| section.commit_behind(turn_id, shown, draft),
            expected,
        )
        .await;
    }
}
