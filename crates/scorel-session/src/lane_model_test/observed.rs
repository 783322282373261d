//! The log as a program reads it that knows only the fold of the protocol.

use std::collections::{BTreeMap, HashMap};

use scorel_proto::{
    Block, ContextWindow, Event, EventId, Message, MessageSource, OutcomeReason, PersistentBody,
    PersistentEvent, Seq, SessionView, TreePlacement,
};

use super::reference::{Kind, Label};

/// Makes texts so long that a summary of one is shorter.
pub(super) const PADDING: &str = concat!(
    "sixteen letters sixteen letters sixteen letters sixteen letters ",
    "sixteen letters sixteen letters sixteen letters sixteen letters ",
);

/// A text that says `label`.
pub(super) fn text(label: Label) -> String {
    format!("#{label};{PADDING}")
}

/// The labels in a text, in order.
pub(super) fn labels(text: &str) -> Vec<Label> {
    let parts = text.split('#').skip(1);
    let number = |part: &str| part.split_once(';')?.0.parse().ok();
    parts.filter_map(number).collect()
}

/// What a message says.
pub(super) fn said(message: &Message) -> Vec<Label> {
    let text = match message {
        Message::User(message) => Block::plain_text_of(&message.content),
        Message::Assistant(message) => Block::plain_text_of(&message.content),
        Message::Internal(message) => Block::plain_text_of(&message.content),
        Message::ToolResult(message) => Block::plain_text_of(&message.result().content),
    };
    labels(&text)
}

/// A record that was the leaf once.
#[derive(Debug)]
pub(super) struct ReadNode {
    pub(super) id: EventId,
    /// A summary names the event that it goes up to.
    pub(super) through: Option<EventId>,
    pub(super) kind: Kind,
    pub(super) labels: Vec<Label>,
}

#[derive(Debug, Default)]
pub(super) struct Observed {
    bytes: Vec<u8>,
    header_read: bool,
    pub(super) view: SessionView,
    pub(super) lines: BTreeMap<Seq, Vec<u8>>,
    events: BTreeMap<Seq, PersistentEvent>,
    pub(super) nodes: Vec<ReadNode>,
    places: HashMap<EventId, usize>,
    pub(super) outcomes: Vec<OutcomeReason>,
}

impl Observed {
    /// Reads on. The bytes that were read before must be unchanged.
    pub(super) fn read(&mut self, log: &[u8]) {
        let read = self.bytes.len();
        assert!(log[..read] == self.bytes, "a line was changed");
        for line in log[read..].split_inclusive(|byte| *byte == b'\n') {
            assert!(line.ends_with(b"\n"), "a line is whole");
            self.bytes.extend_from_slice(line);
            if self.header_read {
                self.record(&line[..line.len() - 1]);
            }
            self.header_read = true;
        }
    }

    fn record(&mut self, line: &[u8]) {
        let text = std::str::from_utf8(line).expect("text");
        let event = Event::decode(text).expect("a record is an event");
        self.view.apply(&event);
        let Event::Persistent(event) = event else {
            panic!("{text} is no record");
        };
        let last = self.lines.keys().next_back();
        assert!(last < Some(&event.seq), "{text} after {last:?}");
        assert_eq!(event.prev, Some(last.copied().unwrap_or_default()));
        self.lines.insert(event.seq, line.to_vec());
        if let PersistentBody::TurnOutcome(body) = &event.body {
            self.outcomes.push(body.reason);
        }
        if event.body.place() == TreePlacement::Leaf {
            self.places.insert(event.id, self.nodes.len());
            self.nodes.push(node(&event));
        }
        self.events.insert(event.seq, *event);
    }

    /// The window of the active path, built from all of its records.
    pub(super) fn window(&self) -> ContextWindow {
        let event = |seq: &Seq| self.events[seq].clone();
        let path = self.view.tree.path(self.view.leaf());
        let path: Vec<_> = path.iter().map(|node| event(&node.seq)).collect();
        let edits: Vec<_> = self.view.state.edits.iter().map(event).collect();
        ContextWindow::build(&path, &edits, self.view.leaf())
    }

    pub(super) fn place_of(&self, id: EventId) -> usize {
        let at = self.places.get(&id);
        *at.unwrap_or_else(|| panic!("{id} is in no tree"))
    }

    pub(super) fn is_node(&self, id: EventId) -> bool {
        self.places.contains_key(&id)
    }
}

fn node(event: &PersistentEvent) -> ReadNode {
    let (kind, labels, through) = match &event.body {
        PersistentBody::Message(body) => {
            let kind = match &body.message {
                Message::User(user) if user.meta.source == Some(MessageSource::Steer) => {
                    Kind::Steer
                }
                Message::User(_) => Kind::User,
                Message::Assistant(_) => Kind::Answer,
                Message::ToolResult(_) => Kind::Result,
                Message::Internal(_) => Kind::Note,
            };
            (kind, said(&body.message), None)
        }
        PersistentBody::Compact(body) => {
            assert!(
                body.keep.is_empty(),
                "no turn runs that must keep a message"
            );
            let through = Some(body.compacted_through);
            (Kind::Summary(0), labels(&body.summary), through)
        }
        other => panic!("{other:?} is in the tree"),
    };
    ReadNode {
        id: event.id,
        through,
        kind,
        labels,
    }
}
