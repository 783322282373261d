use std::path::Path;
use std::sync::Arc;

use scorel_journal::{ContinueAt, Durability, FileStorage, Journal};
use scorel_proto::{
    AssistantMessage, Block, ClientId, CompactBody, CompactionFacts, CompactionId,
    CompactionTrigger, CostTotal, Event, EventId, Message, MessageBody, Meta, OutcomeReason,
    PersistentBody, PersistentEvent, Seq, SessionId, StopReason, TreePlacement, TurnId,
    TurnOutcomeBody, Usage,
};

/// How many characters each message of a chat has.
pub(crate) const CHARACTERS: usize = 100;

/// Appends finished turns of a question and an answer to a session's log, as the daemon would have
/// written them, each message of `characters`. No daemon may be running. Returns how many records were
/// appended.
///
/// Playing as many turns would take minutes, and every turn sends what was said before it.
pub(crate) fn append_turns(
    session_dir: &Path,
    session: &str,
    turns: usize,
    characters: usize,
) -> usize {
    let mut log = LogWriter::open(session_dir, session);
    for _ in 0..turns {
        let turn_id = Some(TurnId::generate());
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
            log.append(turn_id, body);
        }
    }
    turns * 3
}

/// Appends the barrier of a compaction that covers all messages of a session's log. No daemon may be
/// running.
pub(crate) fn append_barrier(session_dir: &Path, session: &str) {
    let mut log = LogWriter::open(session_dir, session);
    let covered = log.leaf.unwrap();
    let barrier = CompactBody {
        summary: "They talked.".to_owned(),
        compacted_through: covered,
        keep: Vec::new(),
        tokens_before: 1,
        tokens_after: 1,
        compaction_id: CompactionId::generate(),
        trigger: CompactionTrigger::Manual,
        model: "test:test-model".to_owned(),
        usage: None,
        cost: None,
        facts: CompactionFacts::default(),
    };
    log.append(None, PersistentBody::Compact(barrier));
}

/// Appends records to the log of a session at its leaf.
struct LogWriter {
    journal: Journal,
    session_id: SessionId,
    leaf: Option<EventId>,
}

impl LogWriter {
    fn open(session_dir: &Path, session: &str) -> Self {
        let mut leaf = None;
        let opened = Journal::open(Arc::new(FileStorage), session_dir, None, &mut |record| {
            if let Ok(Event::Persistent(event)) = Event::decode(record.line)
                && event.body.place() == TreePlacement::Leaf
            {
                leaf = Some(event.id);
            }
        });
        // The records are synced by the first one that the daemon appends.
        let opened = opened.unwrap();
        Self {
            journal: opened.into_journal(ContinueAt::LastRecord, Durability::Flush),
            session_id: session.parse().unwrap(),
            leaf,
        }
    }

    fn append(&mut self, turn_id: Option<TurnId>, body: PersistentBody) {
        let in_tree = body.place() == TreePlacement::Leaf;
        let mut event = PersistentEvent {
            id: EventId::generate(),
            parent_id: self.leaf.filter(|_| in_tree),
            seq: Seq::ZERO,
            session_id: self.session_id,
            client_id: ClientId::Daemon,
            ts: 0,
            turn_id,
            command_id: None,
            digest: None,
            origin: None,
            body,
            prev: None,
        };
        let appended = self.journal.append(|seq| {
            event.seq = seq;
            serde_json::to_vec(&event)
        });
        // The proof is for a feed, and there is none here.
        drop(appended.unwrap());
        if in_tree {
            self.leaf = Some(event.id);
        }
    }
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
