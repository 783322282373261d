//! What a clone gets of the log that it copies, record by record.
//!
//! In: the records of the source in log order. Out: the copies, or nothing for a record that stays
//! behind. A record is copied as its fields, not as its event: fields of newer versions, and events
//! that this one cannot decode, arrive byte for byte.

mod record_fields;

use std::collections::{HashMap, HashSet};
use std::iter::once;

use scorel_proto::{
    BlobHash, ContextOp, Event, EventId, Origin, PathNode, PersistentBody, PersistentEvent, Seq,
    SessionId, TreePlacement, TurnId, UnknownEvent,
};

pub(crate) use record_fields::RecordFields;

/// The records of what requests begin with.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PrefixRecords {
    /// The newest instruction snapshot.
    pub(crate) snapshot: Option<Seq>,
    /// The newest set of tools from outside.
    pub(crate) tools: Option<Seq>,
}

/// The way from a source to its clone.
#[derive(Debug)]
pub(crate) struct HistoryCopy {
    source: SessionId,
    target: SessionId,
    /// The events of the path, from the root on.
    ordered: Vec<EventId>,
    /// Each of them with the one in front of it. That is its parent, except where the parent's record was
    /// lost.
    path: HashMap<EventId, Option<EventId>>,
    /// The newest instruction snapshot of the source, and its newest set of tools.
    prefix: PrefixRecords,
    /// The ids of copied events, by those of their originals.
    copies: HashMap<EventId, EventId>,
    turns: HashSet<TurnId>,
    /// The blobs that the copies refer to.
    pub(crate) blobs: HashSet<BlobHash>,
}

impl HistoryCopy {
    pub(crate) fn new(
        (source, target): (SessionId, SessionId),
        path: &[PathNode],
        prefix: PrefixRecords,
    ) -> Self {
        let ordered: Vec<EventId> = path.iter().map(|node| node.id).collect();
        let parents = once(None).chain(ordered.iter().copied().map(Some));
        Self {
            source,
            target,
            path: ordered.iter().copied().zip(parents).collect(),
            ordered,
            prefix,
            copies: HashMap::with_capacity(path.len()),
            turns: HashSet::new(),
            blobs: HashSet::new(),
        }
    }

    /// The copy of a record; `None` if the clone does not get it.
    ///
    /// # Errors
    ///
    /// If the record is not JSON, which the journal has checked.
    pub(crate) fn copy(&mut self, line: &str) -> serde_json::Result<Option<RecordFields>> {
        match Event::decode(line)? {
            Event::Persistent(event) if self.takes(&event) => {
                self.taken(event.id, event.turn_id);
                let blobs = &mut self.blobs;
                event.body.visit_blobs(&mut |hash| {
                    blobs.insert(hash.clone());
                });
                let mut fields = self.rebased(line, (event.id, event.parent_id), event.turn_id)?;
                self.remap(&event.body, &mut fields)?;
                Ok(Some(fields))
            }
            Event::Unknown(event) => match event.id {
                Some(id) if self.takes_unknown(id, &event) => {
                    self.taken(id, event.turn_id);
                    let ids = (id, event.parent_id);
                    Ok(Some(self.rebased(line, ids, event.turn_id)?))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns whether all of the path was copied.
    pub(crate) fn is_complete(&self) -> bool {
        self.path.keys().all(|id| self.copies.contains_key(id))
    }

    fn takes(&self, event: &PersistentEvent) -> bool {
        match (event.body.place(), &event.body) {
            (TreePlacement::Leaf, _) => self.path.contains_key(&event.id),
            // Folded into the clone's first record.
            (_, PersistentBody::SessionInfo(_)) | (TreePlacement::Move, _) => false,
            (TreePlacement::Aside, _) => self.is_beside_path(event.parent_id),
            (_, PersistentBody::TurnOutcome(_)) => {
                event.turn_id.is_some_and(|id| self.turns.contains(&id))
            }
            (_, PersistentBody::ContextTrim(body)) => {
                let mut trimmed = body.event_ids.iter();
                trimmed.any(|id| self.copies.contains_key(id))
            }
            (_, PersistentBody::ContextEdit(body)) => {
                let mut edited = body.ops.iter();
                edited.any(|op| self.copies.contains_key(&op.event_id()))
            }
            (_, PersistentBody::InstructionSnapshot(_)) => self.prefix.snapshot == Some(event.seq),
            (_, PersistentBody::ToolSet(_)) => self.prefix.tools == Some(event.seq),
            (TreePlacement::Control, _) => false,
        }
    }

    /// An event that this version cannot decode is copied where it stands on the path or beside it.
    fn takes_unknown(&self, id: EventId, event: &UnknownEvent) -> bool {
        let is_attached = event.parent_id.is_some() && self.is_beside_path(event.parent_id);
        event.prev.is_some() && (self.path.contains_key(&id) || is_attached)
    }

    /// Events attached to the empty conversation stand beside every path.
    fn is_beside_path(&self, parent: Option<EventId>) -> bool {
        parent.is_none_or(|id| self.copies.contains_key(&id))
    }

    fn taken(&mut self, id: EventId, turn: Option<TurnId>) {
        self.copies.insert(id, EventId::generate());
        if self.path.contains_key(&id) {
            self.turns.extend(turn);
        }
    }

    /// The record's fields with the ids of the clone. A copy is no receipt.
    fn rebased(
        &self,
        line: &str,
        (id, parent): (EventId, Option<EventId>),
        turn: Option<TurnId>,
    ) -> serde_json::Result<RecordFields> {
        let mut fields: RecordFields = serde_json::from_str(line)?;
        for name in ["commandId", "digest", "prev", "crc"] {
            fields.remove(name);
        }
        // A turn that the clone does not have would never end there.
        if turn.is_none_or(|turn| !self.turns.contains(&turn)) {
            fields.remove("turnId");
        }
        let parent = self.path.get(&id).copied().unwrap_or(parent);
        let parent = parent.and_then(|id| self.copies.get(&id));
        fields.set("id", &self.copies.get(&id))?;
        fields.set("parentId", &parent)?;
        fields.set("sessionId", &self.target)?;
        let origin = Origin {
            session_id: self.source,
            event_id: id,
        };
        fields.set("origin", &origin)?;
        Ok(fields)
    }

    /// The copy of the last event that a compaction covers; if that one's record was lost, of the last that
    /// was made before it.
    fn covered_through(&self, through: EventId) -> Option<EventId> {
        let made_before = |id: &&EventId| id.timestamp_ms() <= through.timestamp_ms();
        let nearest = || self.ordered.iter().rfind(made_before);
        let copy = self.copies.get(&through);
        copy.or_else(|| self.copies.get(nearest()?)).copied()
    }

    /// Points references to other events at their copies.
    fn remap(&self, body: &PersistentBody, fields: &mut RecordFields) -> serde_json::Result<()> {
        let copied = |ids: &[EventId]| -> Vec<EventId> {
            ids.iter()
                .filter_map(|id| self.copies.get(id).copied())
                .collect()
        };
        match body {
            PersistentBody::Message(_) => fields.remove("queueItemId"),
            PersistentBody::Compact(body) => {
                if let Some(through) = self.covered_through(body.compacted_through) {
                    fields.set("compactedThrough", &through)?;
                }
                if !body.keep.is_empty() {
                    fields.set("keep", &copied(&body.keep))?;
                }
            }
            PersistentBody::ContextTrim(body) => {
                fields.set("eventIds", &copied(&body.event_ids))?;
            }
            PersistentBody::ContextEdit(body) => {
                let copy = |op: &ContextOp| {
                    let id = self.copies.get(&op.event_id()).copied()?;
                    Some(match op {
                        ContextOp::Hide { .. } => ContextOp::hide(id),
                        ContextOp::Replace { text, .. } => ContextOp::replace(id, text),
                    })
                };
                let ops: Vec<ContextOp> = body.ops.iter().filter_map(copy).collect();
                fields.set("ops", &ops)?;
            }
            _ => {}
        }
        Ok(())
    }
}
