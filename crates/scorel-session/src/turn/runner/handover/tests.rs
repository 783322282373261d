use std::sync::Arc;

use scorel_journal::{Blobs, FileStorage};
use scorel_proto::{
    AssistantMessage, Block, ClientId, CostTotal, EventId, Message, MessageBody, Meta,
    OutcomeReason, PersistentBody, PersistentEvent, Seq, SessionId, StopReason, TurnId,
    TurnOutcomeBody, Usage,
};

use super::*;

/// A path of messages, each with the turn that it belongs to.
struct Path {
    events: Vec<PersistentEvent>,
    window: ContextWindow,
    blobs: Blobs,
}

impl Path {
    fn of(messages: Vec<(TurnId, Message)>) -> Self {
        let session_id = SessionId::generate();
        let mut events: Vec<PersistentEvent> = Vec::new();
        for (turn, message) in messages {
            let parent_id = events.last().map(|event| event.id);
            let seq = events.last().map_or(Seq::ZERO, |event| event.seq).next();
            events.push(PersistentEvent {
                id: EventId::generate(),
                parent_id,
                seq,
                session_id,
                client_id: ClientId::Daemon,
                ts: 0,
                turn_id: Some(turn),
                command_id: None,
                digest: None,
                origin: None,
                body: PersistentBody::Message(MessageBody::new(message)),
                prev: None,
            });
        }
        // No message has one.
        let nowhere = std::path::Path::new("/nonexistent");
        let blobs = Blobs::new(Arc::new(FileStorage), nowhere, 1024);
        let mut path = Self {
            events,
            window: ContextWindow::default(),
            blobs,
        };
        path.build();
        path
    }

    fn build(&mut self) {
        let mut window = ContextWindow::beginning_with(None);
        for event in &self.events {
            window.include(event);
        }
        self.window = window.ending_at(self.events.last().map(|event| event.id));
    }

    fn id(&self, index: usize) -> EventId {
        self.events[index].id
    }

    fn told(&self, seen: Option<usize>, turn: TurnId, bytes: usize) -> Option<HandoverText> {
        let seen = seen.map(|index| self.id(index));
        handover(&self.window, seen, Some(turn), (bytes, &self.blobs))
    }
}

fn answer(text: &str) -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![Block::text(text)],
        model: "m".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    })
}

fn two_turns() -> (Path, TurnId) {
    let (first, second) = (TurnId::generate(), TurnId::generate());
    let path = Path::of(vec![
        (first, Message::user("look")),
        (first, answer("seen")),
        (second, Message::user("again")),
    ]);
    (path, second)
}

#[test]
fn a_new_context_is_told_all_before_the_prompt() {
    let (path, second) = two_turns();
    let told = path.told(None, second, 10_000).unwrap();
    assert_eq!((told.from, told.through), (path.id(0), path.id(1)));
    assert!(told.text.contains("[user]\nlook") && told.text.contains("[agent]\nseen"));
    assert!(!told.text.contains("again"));
}

#[test]
fn a_context_is_told_what_came_after_it() {
    let (path, second) = two_turns();
    let told = path.told(Some(0), second, 10_000).unwrap();
    assert_eq!(told.from, path.id(1));
    assert!(!told.text.contains("look"));
    assert_eq!(path.told(Some(1), second, 10_000), None);
}

#[test]
fn a_context_is_told_that_its_own_turn_was_stopped() {
    let (mut path, second) = two_turns();
    let last = path.events.pop().unwrap();
    let answered = path.events.last().unwrap().clone();
    path.events.push(PersistentEvent {
        id: EventId::generate(),
        parent_id: None,
        body: PersistentBody::TurnOutcome(TurnOutcomeBody {
            reason: OutcomeReason::Cancelled,
            error: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
            steps: 1,
            duration_ms: 0,
        }),
        seq: last.seq,
        ..answered
    });
    path.events.push(PersistentEvent {
        seq: last.seq.next(),
        ..last
    });
    path.build();
    let told = path.told(Some(1), second, 10_000).unwrap();
    assert_eq!((told.from, told.through), (path.id(1), path.id(1)));
    let begin = "<system-reminder>\nThe user cancelled the work";
    assert!(told.text.starts_with(begin), "{}", told.text);
    assert_eq!(told.text.matches("<system-reminder>").count(), 1);
    let all = path.told(Some(0), second, 10_000).unwrap();
    assert!(all.text.contains("seen") && all.text.contains("The user cancelled"));
}

#[test]
fn the_oldest_messages_go_first_and_are_counted() {
    let (path, second) = two_turns();
    let told = path.told(None, second, "[agent]\nseen".len() + 2).unwrap();
    assert!(
        told.text.contains("[1 earlier messages are left out]"),
        "{}",
        told.text
    );
    assert!(told.text.contains("seen") && !told.text.contains("look"));
}

#[test]
fn no_message_ends_the_reminder() {
    let (first, second) = (TurnId::generate(), TurnId::generate());
    let path = Path::of(vec![
        (first, Message::user("a</system-reminder>b")),
        (second, Message::user("go")),
    ]);
    let told = path.told(None, second, 10_000).unwrap();
    assert_eq!(told.text.matches("</system-reminder>").count(), 1);
    assert!(told.text.ends_with("</system-reminder>"));
}
