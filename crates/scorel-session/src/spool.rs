//! The spool of the message that is being generated.
//!
//! A message enters the log when it is complete. Until then its deltas go to the file `inflight`,
//! each before it is published, so that a crash of the daemon does not take back text that was read.
//! They are not synced: that would cost a sync for every delta, and only a power failure needs it.
//! The file holds JSON lines: a header, then the deltas.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{LogFile, OpenMode, Storage, if_present, read_bounded};
use scorel_proto::{Block, EventId, PersistentBody, TransientBody, TurnId};
use serde::{Deserialize, Serialize};

const NAME: &str = "inflight";

/// How large a spool may be to be read, in bytes: more than any model generates in one message.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Writes and reads a session's spool.
///
/// Errors are only logged. The message itself goes to the log, and an error there is reported.
#[derive(Debug)]
pub(crate) struct Spool {
    storage: Arc<dyn Storage>,
    path: PathBuf,
    /// Open while there is a message: an idle session keeps no descriptor for its spool.
    file: Option<Arc<dyn LogFile>>,
    /// The message in the file.
    message: Option<EventId>,
    /// A delta could not be written. Those after it are left out: without it they would make another
    /// text.
    broken: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum SpoolLine {
    Start {
        event_id: EventId,
        turn_id: TurnId,
        model: String,
    },
    Text {
        block: u32,
        delta: String,
    },
    Thinking {
        block: u32,
        delta: String,
    },
}

/// A message that a crash cut off.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpooledMessage {
    pub(crate) event_id: EventId,
    pub(crate) turn_id: TurnId,
    pub(crate) model: String,
    /// Text and thinking in order, without empty blocks.
    pub(crate) content: Vec<Block>,
}

impl Spool {
    pub(crate) fn new(storage: Arc<dyn Storage>, dir: &Path) -> Self {
        Self {
            storage,
            path: dir.join(NAME),
            file: None,
            message: None,
            broken: false,
        }
    }

    /// Records an event that is about to be published.
    pub(crate) fn note(&mut self, turn_id: TurnId, body: &TransientBody) {
        let noted = match body {
            TransientBody::MessageStart(body) => {
                let model = body.model.clone().unwrap_or_default();
                self.start(
                    &SpoolLine::Start {
                        event_id: body.event_id,
                        turn_id,
                        model,
                    },
                    body.event_id,
                )
            }
            TransientBody::TextDelta(body) => self.append(&SpoolLine::Text {
                block: body.block_index,
                delta: body.delta.clone(),
            }),
            TransientBody::ThinkingDelta(body) => self.append(&SpoolLine::Thinking {
                block: body.block_index,
                delta: body.delta.clone(),
            }),
            TransientBody::MessageCancelled(body) => self.finish(body.event_id),
            _ => Ok(()),
        };
        self.report(noted);
    }

    /// Empties the spool once its message is in the log.
    pub(crate) fn recorded(&mut self, id: EventId, body: &PersistentBody) {
        if matches!(body, PersistentBody::Message(_)) {
            let finished = self.finish(id);
            self.report(finished);
        }
    }

    /// Reads the message in the file, up to a line that a crash cut off.
    pub(crate) fn read(&self) -> Option<SpooledMessage> {
        let bytes = read_bounded(&*self.storage, &self.path, MAX_BYTES).ok()?;
        let mut lines = bytes.split(|byte| *byte == b'\n').map_while(parse);
        let Some(SpoolLine::Start {
            event_id,
            turn_id,
            model,
        }) = lines.next()
        else {
            return None;
        };
        let mut blocks: Vec<(u32, Block)> = Vec::new();
        lines.for_each(|line| add(&mut blocks, line));
        let content = blocks.into_iter().map(|(_, block)| block).collect();
        Some(SpooledMessage {
            event_id,
            turn_id,
            model,
            content,
        })
    }

    /// Empties the file after recovery.
    pub(crate) fn clear(&mut self) {
        let left = self
            .storage
            .status(&self.path)
            .is_ok_and(|status| status.len > 0);
        if left {
            let cleared = self.empty();
            self.report(cleared);
        }
    }

    fn start(&mut self, line: &SpoolLine, id: EventId) -> std::io::Result<()> {
        self.open()?.set_len(0)?;
        self.message = Some(id);
        self.broken = false;
        self.append(line)
    }

    fn finish(&mut self, id: EventId) -> std::io::Result<()> {
        if self.message != Some(id) {
            return Ok(());
        }
        self.message = None;
        self.empty()
    }

    fn empty(&mut self) -> std::io::Result<()> {
        let emptied = self.open()?.set_len(0);
        self.file = None;
        emptied
    }

    fn append(&mut self, line: &SpoolLine) -> std::io::Result<()> {
        if self.message.is_none() || self.broken {
            return Ok(());
        }
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let written = self.open()?.append(&bytes)?;
        if written == bytes.len() {
            Ok(())
        } else {
            Err(std::io::ErrorKind::StorageFull.into())
        }
    }

    fn open(&mut self) -> std::io::Result<Arc<dyn LogFile>> {
        if let Some(file) = &self.file {
            return Ok(Arc::clone(file));
        }
        let file = match if_present(self.storage.open(&self.path, OpenMode::Append))? {
            Some(file) => file,
            None => self.storage.create_new(&self.path)?,
        };
        self.file = Some(Arc::clone(&file));
        Ok(file)
    }

    /// The file keeps the deltas before the error: they are still emptied with the message.
    fn report(&mut self, result: std::io::Result<()>) {
        if let Err(error) = result {
            self.broken = true;
            tracing::warn!(path = %self.path.display(), %error, "the spool could not be written");
        }
    }
}

/// `None` for a line that a crash cut off; it is the last one.
fn parse(line: &[u8]) -> Option<SpoolLine> {
    serde_json::from_slice(line).ok()
}

fn add(blocks: &mut Vec<(u32, Block)>, line: SpoolLine) {
    let (number, delta, thinking) = match line {
        SpoolLine::Text { block, delta } => (block, delta, false),
        SpoolLine::Thinking { block, delta } => (block, delta, true),
        SpoolLine::Start { .. } => return,
    };
    if delta.is_empty() {
        return;
    }
    match blocks.last_mut() {
        Some((last, Block::Text { text, .. } | Block::Thinking { text, .. }))
            if *last == number =>
        {
            text.push_str(&delta);
        }
        _ if thinking => blocks.push((number, thinking_block(delta))),
        _ => blocks.push((number, Block::text(delta))),
    }
}

const fn thinking_block(text: String) -> Block {
    Block::Thinking {
        text,
        signature: None,
        redacted: false,
        provider: None,
    }
}

#[cfg(test)]
mod tests {
    use scorel_journal::FileStorage;
    use scorel_proto::{MessageStart, Role, TextDelta, ThinkingDelta};

    use super::*;

    fn start(event_id: EventId) -> TransientBody {
        let model = Some("m".to_owned());
        let role = Role::Assistant;
        TransientBody::MessageStart(MessageStart {
            event_id,
            parent_id: None,
            role,
            model,
        })
    }

    fn text(event_id: EventId, block_index: u32, delta: &str) -> TransientBody {
        let delta = delta.to_owned();
        TransientBody::TextDelta(TextDelta {
            event_id,
            block_index,
            delta,
            from_seq: None,
        })
    }

    fn thinking(event_id: EventId, block_index: u32, delta: &str) -> TransientBody {
        let delta = delta.to_owned();
        TransientBody::ThinkingDelta(ThinkingDelta {
            event_id,
            block_index,
            delta,
            from_seq: None,
        })
    }

    fn spool(dir: &Path) -> Spool {
        Spool::new(Arc::new(FileStorage), dir)
    }

    #[test]
    fn shown_text_is_read_back_up_to_a_torn_line() {
        let dir = tempfile::tempdir().expect("a directory");
        let (id, turn_id) = (EventId::generate(), TurnId::generate());
        let mut writer = spool(dir.path());
        assert_eq!(writer.read(), None);
        for body in [
            start(id),
            thinking(id, 0, "hm"),
            text(id, 1, "a "),
            text(id, 1, "b"),
        ] {
            writer.note(turn_id, &body);
        }
        let content = vec![thinking_block("hm".into()), Block::text("a b")];
        let model = "m".to_owned();
        let expected = SpooledMessage {
            event_id: id,
            turn_id,
            model,
            content,
        };
        assert_eq!(spool(dir.path()).read(), Some(expected.clone()));
        let path = dir.path().join(NAME);
        let bytes = std::fs::read(&path).expect("readable");
        std::fs::write(&path, &bytes[..bytes.len() - 3]).expect("writable");
        let content = vec![thinking_block("hm".into()), Block::text("a ")];
        assert_eq!(
            spool(dir.path()).read(),
            Some(SpooledMessage {
                content,
                ..expected
            })
        );
    }

    #[test]
    fn a_new_message_and_the_end_of_one_empty_the_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let (first, second, turn) = (EventId::generate(), EventId::generate(), TurnId::generate());
        let mut writer = spool(dir.path());
        writer.note(turn, &start(first));
        writer.note(turn, &text(first, 0, "x"));
        writer.note(turn, &start(second));
        assert_eq!(
            writer.read().map(|spooled| spooled.content),
            Some(Vec::new())
        );
        writer.finish(first).expect("nothing to do");
        assert!(writer.read().is_some());
        writer.finish(second).expect("writable");
        assert_eq!(writer.read(), None);
    }
}
