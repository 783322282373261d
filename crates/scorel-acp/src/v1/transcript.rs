use std::collections::HashMap;
use std::path::PathBuf;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, MessageId, SessionUpdate, ToolCallContent,
};
use scorel_proto::{
    Block, Event, EventId, InFlight, Message, OpenBlock, PersistentBody, PersistentEvent, Seq,
    TransientBody, TransientEvent,
};

use crate::v1::tool_call;

/// The calls whose diffs are kept until they end.
const MAX_DIFFS: usize = 256;

/// What the editor was shown of a session, and what an event adds to it. Each record is shown once, also when a reload
/// sends all of them again.
#[derive(Debug)]
pub(super) struct Transcript {
    work_dir: PathBuf,
    /// The last record that was shown.
    shown: Seq,
    /// The bytes that were shown of each block of messages in flight.
    partial: HashMap<EventId, Vec<usize>>,
    diffs: HashMap<String, Vec<ToolCallContent>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Answer,
    Thought,
}

impl Transcript {
    /// A transcript of which the editor has everything up to `shown`.
    pub(super) fn new(work_dir: PathBuf, shown: Seq) -> Self {
        Self {
            work_dir,
            shown,
            partial: HashMap::new(),
            diffs: HashMap::new(),
        }
    }

    /// Returns what an event adds. `is_own` for a message that the editor shows by itself.
    pub(super) fn event(&mut self, event: &Event, is_own: bool) -> Vec<SessionUpdate> {
        match event {
            Event::Persistent(event) if event.seq > self.shown => {
                self.shown = event.seq;
                self.record(event, is_own)
            }
            Event::Transient(event) => self.transient(event),
            _ => Vec::new(),
        }
    }

    /// Returns what a snapshot of messages in flight adds.
    pub(super) fn in_flight(&mut self, in_flight: &InFlight) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for message in &in_flight.open.messages {
            for (index, block) in message.blocks.iter().enumerate() {
                let (voice, text) = match block {
                    OpenBlock::Text { text } => (Voice::Answer, text),
                    OpenBlock::Thinking { text } => (Voice::Thought, text),
                    OpenBlock::ToolUse { .. } => continue,
                };
                updates.extend(self.whole(message.event_id, index, voice, text));
            }
        }
        updates
    }

    fn record(&mut self, event: &PersistentEvent, is_own: bool) -> Vec<SessionUpdate> {
        match &event.body {
            PersistentBody::Message(body) => self.message(event.id, &body.message, is_own),
            PersistentBody::ToolStarted(body) => {
                let call = tool_call::started(&body.tool_call_id, body.input.as_ref());
                vec![SessionUpdate::ToolCallUpdate(call)]
            }
            PersistentBody::TurnOutcome(_) => {
                self.partial.clear();
                self.diffs.clear();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn message(&mut self, id: EventId, message: &Message, is_own: bool) -> Vec<SessionUpdate> {
        match message {
            Message::User(message) if !is_own => {
                let chunks = message.content.iter().filter_map(said);
                chunks
                    .map(|content| SessionUpdate::UserMessageChunk(chunk(id, content)))
                    .collect()
            }
            Message::Assistant(message) => {
                let blocks = message.content.iter().enumerate();
                let updates = blocks
                    .filter_map(|(index, block)| self.answered(id, index, block))
                    .collect();
                self.partial.remove(&id);
                updates
            }
            Message::ToolResult(message) => {
                let result = message.result();
                let diffs = self.diffs.remove(&result.tool_use_id).unwrap_or_default();
                let call = tool_call::ended(result, diffs);
                vec![SessionUpdate::ToolCallUpdate(call)]
            }
            _ => Vec::new(),
        }
    }

    fn answered(&mut self, id: EventId, index: usize, block: &Block) -> Option<SessionUpdate> {
        match block {
            Block::Text { text, .. } => self.whole(id, index, Voice::Answer, text),
            Block::Thinking { text, .. } => self.whole(id, index, Voice::Thought, text),
            Block::ToolUse {
                id, name, input, ..
            } => {
                let call = tool_call::called(id, name, input, &self.work_dir);
                if !call.content.is_empty() && self.diffs.len() < MAX_DIFFS {
                    self.diffs.insert(id.clone(), call.content.clone());
                }
                Some(SessionUpdate::ToolCall(call))
            }
            _ => None,
        }
    }

    fn transient(&mut self, event: &TransientEvent) -> Vec<SessionUpdate> {
        let (id, index, voice, delta) = match &event.body {
            TransientBody::TextDelta(body) => {
                (body.event_id, body.block_index, Voice::Answer, &body.delta)
            }
            TransientBody::ThinkingDelta(body) => {
                (body.event_id, body.block_index, Voice::Thought, &body.delta)
            }
            _ => return Vec::new(),
        };
        let Some(shown) = self.shown_of(id, index as usize) else {
            return Vec::new();
        };
        *shown += delta.len();
        spoken(id, voice, delta).into_iter().collect()
    }

    /// The part of a block's whole text that was not shown.
    fn whole(
        &mut self,
        id: EventId,
        index: usize,
        voice: Voice,
        text: &str,
    ) -> Option<SessionUpdate> {
        let shown = self.shown_of(id, index)?;
        let rest = text.get(*shown..)?;
        *shown = text.len();
        spoken(id, voice, rest)
    }

    /// The bytes that were shown of a block. `None` for an index that no message has.
    fn shown_of(&mut self, id: EventId, index: usize) -> Option<&mut usize> {
        const MAX_BLOCKS: usize = 65_536;
        let blocks = self.partial.entry(id).or_default();
        if index >= MAX_BLOCKS {
            return None;
        }
        if blocks.len() <= index {
            blocks.resize(index + 1, 0);
        }
        blocks.get_mut(index)
    }
}

fn spoken(id: EventId, voice: Voice, text: &str) -> Option<SessionUpdate> {
    let chunk = (!text.is_empty()).then(|| chunk(id, ContentBlock::from(text.to_owned())))?;
    Some(match voice {
        Voice::Answer => SessionUpdate::AgentMessageChunk(chunk),
        Voice::Thought => SessionUpdate::AgentThoughtChunk(chunk),
    })
}

fn chunk(id: EventId, content: ContentBlock) -> ContentChunk {
    ContentChunk::new(content).message_id(MessageId::new(id.to_string()))
}

/// A block of what a person said. A picture is named only: its bytes are in the daemon.
fn said(block: &Block) -> Option<ContentBlock> {
    Some(match block {
        Block::Text { text, .. } => text.clone().into(),
        Block::Image { media_type, .. } => ContentBlock::from(format!("[{media_type}]")),
        Block::Attachment(file) => ContentBlock::from(format!("[attached: {}]", file.path)),
        _ => return None,
    })
}
