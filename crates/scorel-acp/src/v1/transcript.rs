use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, MessageId, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    ResourceLink, SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use scorel_proto::{
    AssistantMessage, Block, EventId, InFlight, Message, OpenBlock, PersistentBody,
    PersistentEvent, Role, Seq, ToolResultMessage, TransientBody, TransientEvent,
};
use serde_json::Value;

use super::change::Change;
use super::tool_call::{kind, locations, title};

/// The part of a session that the editor was told, without I/O. Nothing is told twice, whatever the stream repeats.
#[derive(Debug)]
pub(crate) struct Transcript {
    work_dir: PathBuf,
    /// All up to here counts as told.
    floor: Seq,
    told: HashSet<EventId>,
    /// Bytes told of each block of the messages that are being generated.
    parts: HashMap<EventId, Vec<usize>>,
    /// The calls without a result, by the names that the model gave them.
    calls: HashMap<String, KnownCall>,
}

#[derive(Debug)]
struct KnownCall {
    id: String,
    diffs: Vec<ToolCallContent>,
}

type Chunk = fn(ContentChunk) -> SessionUpdate;

impl Transcript {
    /// Of an editor that shows all up to `floor`.
    pub(crate) fn new(work_dir: PathBuf, floor: Seq) -> Self {
        Self {
            work_dir,
            floor,
            told: HashSet::new(),
            parts: HashMap::new(),
            calls: HashMap::new(),
        }
    }

    /// Takes a record; `false` if the editor has it already.
    pub(crate) fn is_new(&mut self, event: &PersistentEvent) -> bool {
        event.seq > self.floor && self.told.insert(event.id)
    }

    /// The id of a call in the protocol: those of models are not unique in a session.
    pub(crate) fn call_id(&self, tool_call_id: &str) -> String {
        let known = self.calls.get(tool_call_id);
        known.map_or_else(|| tool_call_id.to_owned(), |call| call.id.clone())
    }

    /// A record that is new. `is_own`: the editor shows it itself, as its prompt or the end of one.
    pub(crate) fn record(&mut self, event: &PersistentEvent, is_own: bool) -> Vec<SessionUpdate> {
        match &event.body {
            PersistentBody::Message(body) => match &body.message {
                Message::User(message) if !is_own => self.said(event.id, &message.content),
                Message::Assistant(message) => self.answered(event.id, message),
                Message::ToolResult(message) => self.result(message),
                Message::User(_) | Message::Internal(_) => Vec::new(),
            },
            PersistentBody::CustomMessage(body) if body.message.role() == Role::User => {
                self.said(event.id, body.message.content())
            }
            PersistentBody::ToolStarted(body) => {
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
                self.call_update(&body.tool_call_id, fields)
            }
            PersistentBody::TurnOutcome(_) => {
                self.calls.clear();
                self.parts.clear();
                match is_own {
                    true => Vec::new(),
                    false => note(event),
                }
            }
            PersistentBody::Rewind(_)
            | PersistentBody::Branch(_)
            | PersistentBody::Compact(_)
            | PersistentBody::TurnWaiting(_)
            | PersistentBody::FilesRestored(_)
            | PersistentBody::RunnerExit(_)
            | PersistentBody::Notice(_) => note(event),
            _ => Vec::new(),
        }
    }

    pub(crate) fn progress(&mut self, event: &TransientEvent) -> Vec<SessionUpdate> {
        match &event.body {
            TransientBody::MessageStart(start) if start.role == Role::Assistant => {
                self.parts.insert(start.event_id, Vec::new());
                Vec::new()
            }
            TransientBody::TextDelta(delta) => {
                let at = (delta.event_id, delta.block_index as usize);
                self.more(at, &delta.delta, SessionUpdate::AgentMessageChunk)
            }
            TransientBody::ThinkingDelta(delta) => {
                let at = (delta.event_id, delta.block_index as usize);
                self.more(at, &delta.delta, SessionUpdate::AgentThoughtChunk)
            }
            TransientBody::MessageCancelled(cancelled) => {
                self.parts.remove(&cancelled.event_id);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Everything open, after a gap in the stream.
    pub(crate) fn in_flight(&mut self, open: &InFlight) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for message in &open.open.messages {
            for (index, block) in message.blocks.iter().enumerate() {
                let (text, chunk): (&str, Chunk) = match block {
                    OpenBlock::Text { text } => (text, SessionUpdate::AgentMessageChunk),
                    OpenBlock::Thinking { text } => (text, SessionUpdate::AgentThoughtChunk),
                    OpenBlock::ToolUse { .. } => continue,
                };
                updates.extend(self.rest((message.event_id, index), text, chunk));
            }
        }
        updates
    }

    /// A call that waits for permission is told before the question.
    pub(crate) fn ensure_call(
        &mut self,
        tool_call_id: &str,
        name: &str,
        input: &Value,
    ) -> Vec<SessionUpdate> {
        if self.calls.contains_key(tool_call_id) {
            return Vec::new();
        }
        self.call(tool_call_id.to_owned(), tool_call_id, name, input)
    }

    fn said(&self, id: EventId, content: &[Block]) -> Vec<SessionUpdate> {
        let block = |block: &Block| match block {
            Block::Attachment(file) => {
                let path = self.work_dir.join(&file.path);
                let uri = url::Url::from_file_path(&path);
                let uri = uri.map_or_else(|()| path.display().to_string(), String::from);
                ContentBlock::ResourceLink(ResourceLink::new(file.path.clone(), uri))
            }
            other => ContentBlock::from(other.shown_text()),
        };
        let chunks = content.iter().map(|it| chunk(id, block(it)));
        chunks.map(SessionUpdate::UserMessageChunk).collect()
    }

    fn answered(&mut self, id: EventId, message: &AssistantMessage) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for (index, block) in message.content.iter().enumerate() {
            match block {
                Block::Text { text, .. } => {
                    updates.extend(self.rest((id, index), text, SessionUpdate::AgentMessageChunk));
                }
                Block::Thinking { text, .. } => {
                    updates.extend(self.rest((id, index), text, SessionUpdate::AgentThoughtChunk));
                }
                Block::ToolUse {
                    id: call,
                    name,
                    input,
                    ..
                } => updates.extend(self.call(format!("{id}/{call}"), call, name, input)),
                _ => {}
            }
        }
        self.parts.remove(&id);
        updates
    }

    fn call(&mut self, id: String, call: &str, name: &str, input: &Value) -> Vec<SessionUpdate> {
        let change = Change::of(name, input, &self.work_dir).map(|it| it.parts());
        let diffs: Vec<ToolCallContent> = change.map(ToolCallContent::Diff).into_iter().collect();
        let update = ToolCall::new(id.clone(), title(name, input))
            .kind(kind(name))
            .status(ToolCallStatus::Pending)
            .content(diffs.clone())
            .locations(locations(input, &self.work_dir))
            .raw_input(input.clone());
        self.calls.insert(call.to_owned(), KnownCall { id, diffs });
        vec![SessionUpdate::ToolCall(update)]
    }

    fn result(&mut self, message: &ToolResultMessage) -> Vec<SessionUpdate> {
        let result = message.result();
        let known = self.calls.remove(&result.tool_use_id);
        let Some(KnownCall { id, diffs }) = known else {
            return Vec::new();
        };
        let status = match result.is_error {
            true => ToolCallStatus::Failed,
            false => ToolCallStatus::Completed,
        };
        // The content replaces what was there, so a diff comes again.
        let content = match diffs.is_empty() || result.is_error {
            true => vec![Block::plain_text_of(&result.content).into()],
            false => diffs,
        };
        let fields = ToolCallUpdateFields::new().status(status).content(content);
        let mut updates = vec![SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
            id, fields,
        ))];
        if message.tool_name == "Todo" && !result.is_error {
            updates.extend(plan(result.details.as_ref()));
        }
        updates
    }

    pub(crate) fn call_update(
        &self,
        call: &str,
        fields: ToolCallUpdateFields,
    ) -> Vec<SessionUpdate> {
        let known = self.calls.get(call);
        let update = known.map(|it| ToolCallUpdate::new(it.id.clone(), fields));
        update
            .map(SessionUpdate::ToolCallUpdate)
            .into_iter()
            .collect()
    }

    /// More of a block.
    fn more(&mut self, at: (EventId, usize), delta: &str, as_update: Chunk) -> Vec<SessionUpdate> {
        *self.sent(at) += delta.len();
        text_chunk(at.0, delta, as_update)
    }

    /// The end of a block's text so far that is not told yet.
    fn rest(&mut self, at: (EventId, usize), text: &str, as_update: Chunk) -> Vec<SessionUpdate> {
        let sent = self.sent(at);
        let rest = text.get(*sent..).unwrap_or_default();
        *sent += rest.len();
        text_chunk(at.0, rest, as_update)
    }

    fn sent(&mut self, (id, index): (EventId, usize)) -> &mut usize {
        let blocks = self.parts.entry(id).or_default();
        if blocks.len() <= index {
            blocks.resize(index + 1, 0);
        }
        &mut blocks[index]
    }
}

fn text_chunk(id: EventId, text: &str, as_update: Chunk) -> Vec<SessionUpdate> {
    match text {
        "" => Vec::new(),
        text => vec![as_update(chunk(id, text.into()))],
    }
}

fn chunk(id: EventId, content: ContentBlock) -> ContentChunk {
    ContentChunk::new(content).message_id(MessageId::from(id.to_string()))
}

/// A note beside the conversation, in the daemon's words.
fn note(event: &PersistentEvent) -> Vec<SessionUpdate> {
    let parts = event.body.convert_to_display().into_iter();
    let lines: Vec<String> = parts.map(|part| part.text).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let text = format!("\n[{}]\n", lines.join("; "));
    text_chunk(event.id, &text, SessionUpdate::AgentMessageChunk)
}

fn plan(details: Option<&Value>) -> Option<SessionUpdate> {
    let items = details?["items"].as_array()?;
    let entry = |item: &Value| {
        let status = match item["status"].as_str()? {
            "completed" => PlanEntryStatus::Completed,
            "in_progress" => PlanEntryStatus::InProgress,
            _ => PlanEntryStatus::Pending,
        };
        let content = item["content"].as_str()?;
        Some(PlanEntry::new(content, PlanEntryPriority::Medium, status))
    };
    let entries = items.iter().filter_map(entry).collect();
    Some(SessionUpdate::Plan(Plan::new(entries)))
}
