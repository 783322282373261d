//! A log that grows event by event, and the view folded from it.

use serde_json::{Value, json};

use crate::{
    AssistantMessage, Block, ClientId, CostTotal, Event, EventId, Message, MessageBody, Meta,
    OutcomeReason, PersistentBody, PersistentEvent, QueueItem, QueueItemId, QueueKind, QueueOp,
    QueueUpdateBody, Seq, SessionId, SessionView, StopReason, ToolResultBlock, ToolResultMessage,
    ToolStartedBody, TransientBody, TransientEvent, TreePlacement, TurnId, TurnOutcomeBody, Usage,
};

pub(super) struct Log {
    pub(super) view: SessionView,
    pub(super) records: Vec<Event>,
    pub(super) turn: Option<TurnId>,
    seq: Seq,
}

impl Log {
    pub(super) fn new() -> Self {
        Self {
            view: SessionView::default(),
            records: Vec::new(),
            turn: None,
            seq: Seq::ZERO,
        }
    }

    /// Begins a turn: what follows carries its id.
    pub(super) fn begin(&mut self) -> TurnId {
        let turn = TurnId::generate();
        self.turn = Some(turn);
        turn
    }

    /// A record that follows the leaf, or stands outside the tree.
    pub(super) fn push(&mut self, body: PersistentBody) -> EventId {
        self.push_with(body, |_| {})
    }

    pub(super) fn push_with(
        &mut self,
        body: PersistentBody,
        change: impl FnOnce(&mut PersistentEvent),
    ) -> EventId {
        let in_tree = body.place() != TreePlacement::Control;
        self.seq = self.seq.next();
        let mut event = PersistentEvent {
            id: EventId::generate(),
            parent_id: self.view.leaf().filter(|_| in_tree),
            seq: self.seq,
            session_id: SessionId::from_bytes([1; 16]),
            client_id: ClientId::Daemon,
            ts: self.seq.get() * 10,
            turn_id: self.turn,
            command_id: None,
            digest: None,
            origin: None,
            body,
            prev: Some(self.view.state.last_persistent_seq),
        };
        change(&mut event);
        let id = event.id;
        self.record(Event::Persistent(Box::new(event)));
        id
    }

    pub(super) fn record(&mut self, event: Event) {
        self.seq = event.seq();
        self.view.apply(&event);
        self.records.push(event);
    }

    pub(super) fn show(&mut self, body: TransientBody) {
        self.seq = self.seq.next();
        self.view.apply(&Event::Transient(Box::new(TransientEvent {
            seq: self.seq,
            session_id: SessionId::from_bytes([1; 16]),
            client_id: ClientId::Daemon,
            ts: 0,
            turn_id: self.turn,
            body,
        })));
    }

    /// A record out of JSON, with the fields that every record has.
    pub(super) fn json(&mut self, mut event: Value) {
        self.seq = self.seq.next();
        event["seq"] = json!(self.seq);
        event["sessionId"] = json!(SessionId::from_bytes([1; 16]));
        event["clientId"] = json!("daemon");
        event["ts"] = json!(self.seq.get() * 10);
        event["prev"] = json!(self.view.state.last_persistent_seq);
        self.record(Event::decode(&event.to_string()).expect("every field is there"));
    }

    pub(super) fn user(&mut self, text: &str) -> EventId {
        self.push(message(Message::user(text)))
    }

    /// The queue item becomes the first message of a turn.
    pub(super) fn consume(&mut self, item: QueueItemId) -> EventId {
        self.push(PersistentBody::Message(MessageBody {
            queue_item_id: Some(item),
            ..MessageBody::new(Message::user("queued"))
        }))
    }

    pub(super) fn assistant(&mut self, content: Vec<Block>) -> EventId {
        self.push(message(assistant(content, false)))
    }

    pub(super) fn started(&mut self, call: &str) -> EventId {
        let event_id = EventId::generate();
        self.push(PersistentBody::ToolStarted(ToolStartedBody {
            tool_call_id: call.into(),
            tool_name: "Read".into(),
            event_id,
            files: Vec::new(),
            ran_by: None,
            input: None,
            changed_by: Vec::new(),
        }));
        event_id
    }

    pub(super) fn result(&mut self, call: &str) -> EventId {
        let result = ToolResultBlock::error(call, "no");
        self.push(message(Message::ToolResult(ToolResultMessage::new(
            "Read", result, 1,
        ))))
    }

    pub(super) fn outcome(&mut self, reason: OutcomeReason) {
        self.push(PersistentBody::TurnOutcome(TurnOutcomeBody {
            reason,
            error: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
            steps: 1,
            duration_ms: 1,
        }));
        self.turn = None;
    }

    /// A whole turn: a question and its answer. The answer's id.
    pub(super) fn turn(&mut self) -> EventId {
        self.begin();
        self.user("q");
        let answer = self.assistant(vec![Block::text("a")]);
        self.outcome(OutcomeReason::Completed);
        answer
    }

    pub(super) fn queue(&mut self, ops: Vec<QueueOp>) {
        let version = self.view.state.queue.version + 1;
        let turn = self.turn.take();
        self.push(PersistentBody::QueueUpdate(QueueUpdateBody {
            version,
            ops,
            cancel_turn_id: None,
            cancel_compaction_id: None,
            cancel_restore_id: None,
        }));
        self.turn = turn;
    }

    pub(super) fn add(&mut self) -> QueueItemId {
        let item = QueueItem {
            queue_item_id: QueueItemId::generate(),
            kind: QueueKind::FollowUp,
            content: vec![Block::text("later")],
            client_id: ClientId::Daemon,
            edited_by: None,
            meta: None,
            command_id: None,
            digest: None,
        };
        let id = item.queue_item_id;
        self.queue(vec![QueueOp::append(item)]);
        id
    }

    pub(super) fn items(&self) -> Vec<QueueItemId> {
        let items = &self.view.state.queue.items;
        items.iter().map(|item| item.queue_item_id).collect()
    }

    /// The calls without a result, each with whether it has started.
    pub(super) fn calls(&self) -> Vec<(&str, bool)> {
        let turn = self.view.state.turn.as_ref().expect("a turn is open");
        turn.calls
            .iter()
            .map(|call| (call.tool_call_id.as_str(), call.started.is_some()))
            .collect()
    }

    /// The view folded from the records alone.
    pub(super) fn replay(&self) -> SessionView {
        let mut view = SessionView::default();
        for event in &self.records {
            view.apply(event);
        }
        view
    }
}

pub(super) fn message(message: Message) -> PersistentBody {
    PersistentBody::Message(MessageBody::new(message))
}

pub(super) fn assistant(content: Vec<Block>, partial: bool) -> Message {
    Message::Assistant(AssistantMessage {
        content,
        model: "m".into(),
        stop_reason: StopReason::EndTurn,
        usage: Some(Usage {
            input_tokens: 10,
            output_tokens: 1,
            ..Usage::default()
        }),
        cost: None,
        partial,
        meta: Meta::default(),
    })
}

pub(super) fn call(id: &str) -> Block {
    Block::ToolUse {
        id: id.into(),
        name: "Read".into(),
        input: json!({}),
        invalid_input: None,
        provider: None,
    }
}
