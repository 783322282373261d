//! Writes the history of a session that is imported.
//!
//! Messages of another tool become turns of this session, each with its outcome and without usage: what
//! they cost was spent elsewhere. Records of a bundle become copies, as in a clone.

use scorel_journal::{Blobs, Journal};
use scorel_proto::{
    AssistantMessage, BlobHash, Block, ClientId, CompactBody, CompactionFacts, CompactionId,
    CompactionTrigger, CostTotal, Event, EventId, ImportReport, Message, MessageBody, Meta,
    OutcomeReason, PersistentBody, PersistentEvent, Seq, SessionChanges, SessionId,
    SessionInfoBody, ToolResultMessage, TurnId, TurnOutcomeBody, Usage, UserMessage,
};

use crate::SessionError;
use crate::bundled_log::{BundledLog, is_leaf};
use crate::clock::now_ms;
use crate::history_copy::{HistoryCopy, PrefixRecords, RecordFields};
use crate::imported_pictures;
use crate::lane::make_fit;

/// The longest title in bytes.
const MAX_TITLE: usize = 1024;

/// The log of a session that is being made.
#[derive(Debug)]
pub struct HistoryWriter {
    journal: Journal,
    pub(crate) blobs: Blobs,
    pub(crate) session_id: SessionId,
    author: ClientId,
    leaf: Option<EventId>,
    turn: Option<WrittenTurn>,
}

/// The open turn.
#[derive(Debug)]
struct WrittenTurn {
    id: TurnId,
    began: u64,
    steps: u32,
}

impl HistoryWriter {
    pub(crate) const fn new(
        journal: Journal,
        blobs: Blobs,
        session_id: SessionId,
        author: ClientId,
    ) -> Self {
        Self {
            journal,
            blobs,
            session_id,
            author,
            leaf: None,
            turn: None,
        }
    }

    /// Stores content that a later message names.
    ///
    /// # Errors
    ///
    /// [`SessionError::TooLarge`], or what the disk refuses with.
    pub fn blob(&self, content: &[u8]) -> Result<BlobHash, SessionError> {
        Ok(self.blobs.put(content)?)
    }

    /// A message of the user, which begins a turn. `ts` is in milliseconds since 1970, here and below.
    ///
    /// # Errors
    ///
    /// If the record cannot be written, here and below.
    pub fn user(&mut self, ts: u64, content: Vec<Block>) -> Result<(), SessionError> {
        self.turn = Some(WrittenTurn {
            id: TurnId::generate(),
            began: ts,
            steps: 0,
        });
        let meta = Meta::default();
        self.message(ts, Message::User(UserMessage { content, meta }))
    }

    /// An answer of the model, in a turn.
    ///
    /// # Errors
    ///
    /// As [`HistoryWriter::user`].
    pub fn assistant(&mut self, ts: u64, message: AssistantMessage) -> Result<(), SessionError> {
        if let Some(turn) = &mut self.turn {
            turn.steps += 1;
        }
        self.message(ts, Message::Assistant(message))
    }

    /// The result of a call.
    ///
    /// # Errors
    ///
    /// As [`HistoryWriter::user`].
    pub fn tool_result(&mut self, ts: u64, message: ToolResultMessage) -> Result<(), SessionError> {
        self.message(ts, Message::ToolResult(message))
    }

    /// A summary of everything before it, between turns. `model` wrote it.
    ///
    /// # Errors
    ///
    /// As [`HistoryWriter::user`].
    pub fn summary(&mut self, ts: u64, summary: String, model: &str) -> Result<(), SessionError> {
        let Some(compacted_through) = self.leaf else {
            return Ok(());
        };
        let body = CompactBody {
            summary,
            compacted_through,
            keep: Vec::new(),
            tokens_before: 0,
            tokens_after: 0,
            compaction_id: CompactionId::generate(),
            trigger: CompactionTrigger::Other,
            model: model.to_owned(),
            usage: None,
            cost: None,
            facts: CompactionFacts::default(),
        };
        self.leaf = Some(self.append(ts, self.leaf, PersistentBody::Compact(body))?);
        Ok(())
    }

    /// The end of the open turn.
    ///
    /// # Errors
    ///
    /// As [`HistoryWriter::user`].
    pub fn end_turn(&mut self, ts: u64, reason: OutcomeReason) -> Result<(), SessionError> {
        let Some(turn) = &self.turn else {
            return Ok(());
        };
        let body = TurnOutcomeBody {
            reason,
            error: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
            steps: turn.steps,
            duration_ms: ts.saturating_sub(turn.began),
        };
        self.append(ts, None, PersistentBody::TurnOutcome(body))?;
        self.turn = None;
        Ok(())
    }

    /// Copies the conversation of a bundle, with the session's `settings`. `media_type` tells that of a
    /// picture, if models read it.
    ///
    /// # Errors
    ///
    /// As [`HistoryWriter::user`]; if the conversation is damaged.
    pub fn copy(
        &mut self,
        log: &BundledLog,
        source: SessionId,
        settings: SessionChanges,
        media_type: impl Fn(&[u8]) -> Option<&'static str>,
    ) -> Result<ImportReport, SessionError> {
        let mut report = ImportReport::default();
        self.settings(settings)?;
        // The instructions of another place do not hold here: the next turn gets its own.
        let mut copy = HistoryCopy::new(
            (source, self.session_id),
            &log.path,
            PrefixRecords::default(),
        );
        log.each(|line| {
            report.lines += 1;
            let Ok(event) = Event::decode(line) else {
                report.unknown += 1;
                return Ok(());
            };
            if matches!(&event, Event::Persistent(event) if event.session_id != source) {
                let text = "a record belongs to another session".to_owned();
                return Err(SessionError::InvalidParams(text));
            }
            let Some(mut fields) = copy.copy(line).map_err(|error| internal(&error))? else {
                match is_leaf(&event) {
                    true => report.branches += 1,
                    false => report.skipped += 1,
                }
                return Ok(());
            };
            report.imported += 1;
            report.messages += u64::from(is_leaf(&event));
            if has_blobs(&event)
                && let Some(mut message) = fields.get("message")
                && imported_pictures::check(&mut message, &log.blobs, &media_type, &mut report)
            {
                let set = fields.set("message", &message);
                set.map_err(|error| internal(&error))?;
            }
            self.append_fields(fields)
        })?;
        if !copy.is_complete() {
            let text = "a message of the conversation is damaged".to_owned();
            return Err(SessionError::InvalidParams(text));
        }
        log.blobs.share(&copy.blobs, &self.blobs)?;
        Ok(report)
    }

    /// Records settings, unless there are none.
    pub(crate) fn settings(&mut self, mut changes: SessionChanges) -> Result<(), SessionError> {
        changes.title = changes.title.and_then(|title| title_of(&title));
        self.record_settings(changes)
    }

    /// As [`HistoryWriter::settings`], with a title that is one already.
    pub(crate) fn record_settings(&mut self, changes: SessionChanges) -> Result<(), SessionError> {
        if changes == SessionChanges::default() {
            return Ok(());
        }
        let body = PersistentBody::SessionInfo(SessionInfoBody { changes });
        self.append(now_ms(), self.leaf, body).map(drop)
    }

    fn message(&mut self, ts: u64, mut message: Message) -> Result<(), SessionError> {
        make_fit(&mut message, 0, &self.blobs)?;
        let body = PersistentBody::Message(MessageBody::new(message));
        self.leaf = Some(self.append(ts, self.leaf, body)?);
        Ok(())
    }

    fn append(
        &mut self,
        ts: u64,
        parent_id: Option<EventId>,
        body: PersistentBody,
    ) -> Result<EventId, SessionError> {
        let id = EventId::generate();
        let mut event = PersistentEvent {
            id,
            parent_id,
            seq: Seq::ZERO,
            session_id: self.session_id,
            client_id: self.author,
            ts,
            turn_id: self.turn.as_ref().map(|turn| turn.id),
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
        appended.map(|_| id).map_err(SessionError::from)
    }

    /// Appends the copy of a record.
    pub(crate) fn append_fields(&mut self, mut fields: RecordFields) -> Result<(), SessionError> {
        let appended = self.journal.append(|seq| {
            fields.set("seq", &seq)?;
            serde_json::to_vec(&fields)
        });
        appended.map(drop).map_err(SessionError::from)
    }
}

/// A title of a file as one that a client could have given.
fn title_of(text: &str) -> Option<String> {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut title: String = line.chars().filter(|char| !char.is_control()).collect();
    while title.len() > MAX_TITLE {
        title.pop();
    }
    (!title.is_empty()).then_some(title)
}

fn has_blobs(event: &Event) -> bool {
    let mut found = false;
    if let Event::Persistent(event) = event {
        event.body.visit_blobs(&mut |_| found = true);
    }
    found
}

fn internal(error: &serde_json::Error) -> SessionError {
    SessionError::Internal(error.to_string())
}
