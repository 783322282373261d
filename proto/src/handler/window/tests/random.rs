//! Whatever a log holds, the window that follows it equals the context built from its path.

use proptest::prelude::*;
use serde_json::json;

use crate::{
    AssistantMessage, Block, BranchBody, ClientId, CompactBody, CompactionFacts, CompactionId,
    CompactionTrigger, Context, ContextEditBody, ContextOp, ContextTrimBody, ContextWindow,
    CustomBody, CustomMessageBody, Event, EventId, HookPoint, InternalMessage, Message,
    MessageBody, MessageSource, Meta, NodeKind, OutcomeReason, PersistentBody, PersistentEvent,
    RewindBody, Seq, SeqReserveBody, SessionId, SessionView, StopReason, ToolResultBlock,
    ToolResultMessage, TreePlacement, TurnId, Usage, UserMessage, build_context,
};

/// One step of a history. Numbers name an event of the log by its place, counted from the end.
#[derive(Debug, Clone)]
enum Happening {
    User,
    Steer,
    Internal,
    Answer {
        partial: bool,
        blocks: usize,
    },
    Result,
    NewTurn,
    Compact {
        through: usize,
        keep: Vec<usize>,
    },
    Rewind(Option<usize>),
    Branch(usize),
    /// A message that does not follow the leaf.
    Elsewhere(usize),
    Custom,
    Control,
    Outcome(OutcomeReason),
    Trim {
        events: Vec<usize>,
        keep_chars: u64,
    },
    /// A hook's text for the model.
    Injected,
    /// The changes of a hook: each message is replaced, or hidden.
    Edit(Vec<(usize, bool)>),
}

fn happening() -> impl Strategy<Value = Happening> {
    let event = || 0..12_usize;
    prop_oneof![
        4 => Just(Happening::User),
        4 => Just(Happening::Steer),
        2 => Just(Happening::Internal),
        4 => (any::<bool>(), 0..3_usize)
            .prop_map(|(partial, blocks)| Happening::Answer { partial, blocks }),
        6 => Just(Happening::Result),
        3 => Just(Happening::NewTurn),
        2 => (event(), prop::collection::vec(event(), 0..4))
            .prop_map(|(through, keep)| Happening::Compact { through, keep }),
        1 => prop::option::of(event()).prop_map(Happening::Rewind),
        1 => event().prop_map(Happening::Branch),
        1 => event().prop_map(Happening::Elsewhere),
        1 => Just(Happening::Custom),
        1 => Just(Happening::Control),
        2 => prop_oneof![
            Just(OutcomeReason::Completed), Just(OutcomeReason::Cancelled), Just(OutcomeReason::Error),
        ].prop_map(Happening::Outcome),
        3 => (prop::collection::vec(event(), 0..4), prop_oneof![Just(4), Just(6), Just(400)])
            .prop_map(|(events, keep_chars)| Happening::Trim { events, keep_chars }),
        3 => Just(Happening::Injected),
        5 => prop::collection::vec((event(), any::<bool>()), 1..4).prop_map(Happening::Edit),
    ]
}

struct History {
    events: Vec<PersistentEvent>,
    view: SessionView,
    turn: TurnId,
}

impl History {
    fn id(&self, from_end: usize) -> EventId {
        let last = self.events.len().saturating_sub(1);
        let event = self.events.get(last.saturating_sub(from_end));
        event.map_or_else(EventId::generate, |event| event.id)
    }

    /// Appends the event of `step`; there is none for a new turn.
    fn take(&mut self, step: Happening) -> Option<PersistentEvent> {
        let mut parent = self.view.leaf();
        let body = match step {
            Happening::NewTurn => {
                self.turn = TurnId::generate();
                return None;
            }
            Happening::User => message(Message::user("q")),
            Happening::Steer => message(Message::User(UserMessage {
                content: vec![Block::text("steer")],
                meta: Meta {
                    source: Some(MessageSource::Steer),
                    ..Meta::default()
                },
            })),
            Happening::Internal => message(Message::Internal(InternalMessage {
                content: vec![Block::text("note")],
                meta: Meta::default(),
            })),
            Happening::Answer { partial, blocks } => message(answer(partial, blocks)),
            Happening::Result => message(result()),
            Happening::Compact { through, keep } => PersistentBody::Compact(CompactBody {
                summary: "S".to_owned(),
                compacted_through: self.id(through),
                keep: keep.into_iter().map(|event| self.id(event)).collect(),
                tokens_before: 2,
                tokens_after: 1,
                compaction_id: CompactionId::from_bytes([0; 16]),
                trigger: CompactionTrigger::Manual,
                model: "m".to_owned(),
                usage: None,
                cost: None,
                facts: CompactionFacts::default(),
            }),
            Happening::Rewind(target) => PersistentBody::Rewind(RewindBody {
                target_event_id: target.map(|event| self.id(event)),
                files: Vec::new(),
            }),
            Happening::Branch(leaf) => PersistentBody::Branch(BranchBody {
                leaf_event_id: self.id(leaf),
                files: Vec::new(),
            }),
            Happening::Elsewhere(event) => {
                parent = Some(self.id(event));
                message(Message::user("elsewhere"))
            }
            Happening::Custom => PersistentBody::Custom(CustomBody {
                kind: "k".to_owned(),
                data: json!({}),
            }),
            Happening::Outcome(reason) => PersistentBody::TurnOutcome(super::ended(reason, None)),
            Happening::Control => PersistentBody::SeqReserve(SeqReserveBody {}),
            Happening::Injected => PersistentBody::CustomMessage(CustomMessageBody::of_hook(
                "h",
                HookPoint::Call,
                "remember",
            )),
            Happening::Edit(ops) => {
                let op = |(event, hides)| match hides {
                    true => ContextOp::hide(self.id(event)),
                    false => ContextOp::replace(self.id(event), "<system-reminder>"),
                };
                PersistentBody::ContextEdit(ContextEditBody {
                    by: "h".to_owned(),
                    ops: ops.into_iter().map(op).collect(),
                })
            }
            Happening::Trim { events, keep_chars } => {
                PersistentBody::ContextTrim(ContextTrimBody {
                    event_ids: events.into_iter().map(|event| self.id(event)).collect(),
                    keep_chars,
                })
            }
        };
        let event = self.event(parent, body);
        self.view.apply_persistent(&event);
        self.events.push(event.clone());
        Some(event)
    }

    fn event(&self, parent: Option<EventId>, body: PersistentBody) -> PersistentEvent {
        PersistentEvent {
            id: EventId::generate(),
            parent_id: parent.filter(|_| body.place() != TreePlacement::Control),
            seq: Seq::new(self.events.len() as u64 + 1).expect("small"),
            session_id: SessionId::from_bytes([0; 16]),
            client_id: ClientId::Daemon,
            ts: 0,
            turn_id: Some(self.turn),
            command_id: None,
            digest: None,
            origin: None,
            body,
            prev: Some(Seq::ZERO),
        }
    }

    /// The events with these numbers, as the log gives them back.
    fn read(&self, seqs: impl Iterator<Item = Seq>) -> Vec<PersistentEvent> {
        let line = |seq: Seq| {
            let event = &self.events[usize::try_from(seq.get()).expect("small") - 1];
            let line = serde_json::to_string(event).expect("JSON");
            match Event::decode(&line) {
                Ok(Event::Persistent(event)) => *event,
                other => panic!("{line}: {other:?}"),
            }
        };
        seqs.map(line).collect()
    }

    fn path(&self) -> Vec<PersistentEvent> {
        let path = self.view.tree.path(self.view.leaf());
        self.read(path.iter().map(|node| node.seq))
    }

    fn edits(&self) -> Vec<PersistentEvent> {
        self.read(self.view.state.edits.iter().copied())
    }

    /// The window, built from what it needs of the path.
    fn rebuilt(&self) -> ContextWindow {
        let mut path = self.view.tree.path(self.view.leaf());
        let barrier = path.iter().rfind(|node| node.kind == NodeKind::Compact);
        let barrier = barrier.map(|node| self.read(std::iter::once(node.seq)).remove(0));
        if let Some(barrier) = &barrier {
            path = ContextWindow::needs(&path, barrier);
        }
        let mut window = ContextWindow::beginning_with(barrier.as_ref());
        let mut events = self.read(path.iter().map(|node| node.seq));
        events.extend(self.edits());
        events.sort_by_key(|event| event.seq);
        for event in events {
            window.include(&event);
        }
        window.ending_at(self.view.leaf())
    }
}

fn message(message: Message) -> PersistentBody {
    PersistentBody::Message(MessageBody::new(message))
}

fn answer(partial: bool, blocks: usize) -> Message {
    let thinking = Block::Thinking {
        text: "hm".to_owned(),
        signature: None,
        redacted: false,
        provider: None,
    };
    let content = [thinking, Block::text("a")].into_iter().take(blocks);
    Message::Assistant(AssistantMessage {
        content: content.collect(),
        model: "m".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: (blocks > 1).then(|| Usage {
            input_tokens: 7,
            ..Usage::default()
        }),
        cost: None,
        partial,
        meta: Meta::default(),
    })
}

fn result() -> Message {
    let result = ToolResultBlock {
        tool_use_id: "c".to_owned(),
        content: vec![Block::text("the result"), image()],
        is_error: false,
        details: Some(json!({"for": "people"})),
    };
    Message::ToolResult(ToolResultMessage::new("t", result, 1))
}

fn image() -> Block {
    Block::Image {
        media_type: "image/png".to_owned(),
        blob: "0".repeat(64).parse().expect("a hash"),
    }
}

proptest! {
    #[test]
    fn a_window_equals_the_context_of_its_path(
        steps in prop::collection::vec(happening(), 0..60),
    ) {
        let mut history = History {
            events: Vec::new(),
            view: SessionView::default(),
            turn: TurnId::generate(),
        };
        let mut window = ContextWindow::default();
        for step in steps {
            let Some(event) = history.take(step) else { continue };
            let sent = window.context().clone();
            let before: Vec<Message> = sent.iter().cloned().collect();
            let stays = event.parent_id == window.leaf()
                && matches!(event.body, PersistentBody::Message(_));
            let followed = window.apply(&event).is_ok();
            prop_assert!(followed || !stays, "a message on the path was refused");
            prop_assert_eq!(&sent, &Context::from(before), "a request changed under its holder");
            let rebuilt = history.rebuilt();
            if !followed {
                window = rebuilt.clone();
            }
            prop_assert_eq!(window.leaf(), history.view.leaf());
            prop_assert_eq!(window.context(), &build_context(&history.path(), &history.edits()));
            prop_assert_eq!(&window, &rebuilt);
        }
    }
}
