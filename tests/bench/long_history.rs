use std::path::Path;
use std::sync::Arc;

use scorel_journal::{ContinueAt, Durability, FileStorage, Journal};
use scorel_proto::{
    AssistantMessage, Block, ClientId, CostTotal, Event, EventId, Message, MessageBody, Meta,
    OutcomeReason, PersistentBody, PersistentEvent, Seq, SessionId, StopReason, TreePlacement,
    TurnId, TurnOutcomeBody, Usage,
};

/// How many characters each message of a chat has.
pub(crate) const CHARACTERS: usize = 100;

/// Appends finished turns of a question and an answer to a session's log, as the daemon would have
/// written them, each message of `characters`. No daemon may be running. Returns how many records were appended.
///
/// Playing as many turns would take minutes, and every turn sends what was said before it.
pub(crate) fn append_turns(
    session_dir: &Path,
    session: &str,
    turns: usize,
    characters: usize,
) -> usize {
    let mut leaf = None;
    let opened = Journal::open(Arc::new(FileStorage), session_dir, None, &mut |record| {
        if let Ok(Event::Persistent(event)) = Event::decode(record.line)
            && event.body.place() == TreePlacement::Leaf
        {
            leaf = Some(event.id);
        }
    });
    // The records are synced by the first one that the daemon appends.
    let mut journal = opened
        .unwrap()
        .into_journal(ContinueAt::LastRecord, Durability::Flush);
    let session_id: SessionId = session.parse().unwrap();
    let mut append = |event: &mut PersistentEvent| {
        let appended = journal.append(|seq| {
            event.seq = seq;
            serde_json::to_vec(event)
        });
        // The proof is for a feed, and there is none here.
        drop(appended.unwrap());
    };
    for _ in 0..turns {
        let turn_id = TurnId::generate();
        let outcome = TurnOutcomeBody {
            reason: OutcomeReason::Completed,
            error: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
            steps: 1,
            duration_ms: 1,
        };
        for body in [
            message(Message::user("q".repeat(characters))),
            message(Message::Assistant(answer(characters))),
            PersistentBody::TurnOutcome(outcome),
        ] {
            let in_tree = body.place() == TreePlacement::Leaf;
            let mut event = PersistentEvent {
                id: EventId::generate(),
                parent_id: leaf.filter(|_| in_tree),
                seq: Seq::ZERO,
                session_id,
                client_id: ClientId::Daemon,
                ts: 0,
                turn_id: Some(turn_id),
                command_id: None,
                digest: None,
                origin: None,
                body,
                prev: None,
            };
            append(&mut event);
            if in_tree {
                leaf = Some(event.id);
            }
        }
    }
    turns * 3
}

fn message(message: Message) -> PersistentBody {
    PersistentBody::Message(MessageBody::new(message))
}

fn answer(characters: usize) -> AssistantMessage {
    AssistantMessage {
        content: vec![Block::text("a".repeat(characters))],
        model: "test-model".to_owned(),
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
        partial: false,
        meta: Meta::default(),
    }
}
