//! Reading the log while the session is loaded.

use std::sync::Arc;

use bytes::Bytes;
use scorel_journal::{Damage, ReadError, RecordPosition};
use scorel_proto::{
    Anchors, EncodedEvent, Event, EventId, GetEventsResult, GetTreeResult, PersistentEvent, Seq,
    TreeEntry, TreeNode,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Lane;
use super::published::PublishedLane;
use crate::{SessionError, blocking};

/// About how many bytes of events one page has at most: a quarter of the largest reply, so that JSON
/// framing and one large event fit as well.
pub(crate) const PAGE_BYTES: u64 = 4 * 1024 * 1024;

/// Which events to read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EventRange {
    After(Seq),
    /// The last ones before a seq.
    Before(Seq),
}

impl EventRange {
    /// The range that a client asks for.
    pub(crate) fn new(after: Option<Seq>, before: Option<Seq>) -> Result<Self, SessionError> {
        match (after, before) {
            (Some(_), Some(_)) => {
                let text = "`afterSeq` and `beforeSeq` exclude each other";
                Err(SessionError::InvalidParams(text.to_owned()))
            }
            (_, Some(before)) => Ok(Self::Before(before)),
            (after, None) => Ok(Self::After(after.unwrap_or(Seq::ZERO))),
        }
    }

    /// The range that remains after a page with these places; `None` after one without any.
    pub(crate) fn beyond(self, places: &[RecordPosition]) -> Option<Self> {
        match self {
            Self::After(_) => places.last().map(|last| Self::After(last.seq)),
            Self::Before(_) => places.first().map(|first| Self::Before(first.seq)),
        }
    }
}

impl Lane {
    /// Reads events of the log in ascending order. A page is only empty if nothing is left in its
    /// direction: records that turn out to be damaged are passed over.
    ///
    /// # Errors
    ///
    /// If the session is gone or its log cannot be read.
    pub async fn events(
        self: &Arc<Self>,
        after: Option<Seq>,
        before: Option<Seq>,
        limit: usize,
    ) -> Result<GetEventsResult, SessionError> {
        let mut range = EventRange::new(after, before)?;
        loop {
            let (places, more) = self.published().page(range, limit)?;
            let rest = range.beyond(&places);
            let lines = self.read_lines(places).await?;
            if let Some(rest) = rest.filter(|_| lines.is_empty() && more) {
                // Clients go on from the events of a page, and take an empty one for the end.
                range = rest;
                continue;
            }
            let events = lines.iter().map(encoded).collect::<Result<_, _>>()?;
            return Ok(GetEventsResult {
                events,
                more,
                through: None,
            });
        }
    }

    /// Reads the skeleton of the tree.
    ///
    /// # Errors
    ///
    /// If the session is gone.
    pub fn tree(&self, after: Seq, limit: usize) -> Result<GetTreeResult, SessionError> {
        let published = self.published();
        published.check_exists()?;
        let tree = &published.view().tree;
        let mut rest = tree.nodes_after(after);
        let nodes = rest.by_ref().take(limit).map(tree_entry).collect();
        let more = rest.next().is_some();
        Ok(GetTreeResult {
            nodes,
            more,
            active_leaf_id: tree.leaf(),
        })
    }

    /// Returns whether the log lacks the record at the client's anchor, or has another one there, as after
    /// restoring a backup: the numbers continue and name other events.
    pub(crate) async fn diverged(self: &Arc<Self>, anchors: Anchors) -> Result<bool, SessionError> {
        let seq = anchors.persistent_last_seq;
        let Some(id) = anchors.persistent_last_id.filter(|_| seq != Seq::ZERO) else {
            return Ok(false);
        };
        let place = {
            let published = self.published();
            match published.place_of(seq) {
                Some(place) => place,
                // A record that damage hides is not another record.
                None => return Ok(!published.has_holes()),
            }
        };
        let lines = self.read_lines(vec![place]).await?;
        Ok(lines.first().is_some_and(|line| event_id(line) != Some(id)))
    }

    /// The record with a number.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be read.
    pub async fn record(self: &Arc<Self>, seq: Seq) -> Result<PersistentEvent, SessionError> {
        let place = self.published().place_of(seq);
        let missing = || SessionError::Filesystem(format!("record {seq} cannot be read"));
        self.record_at(place.ok_or_else(missing)?).await
    }

    /// The first records after `after`, at most `limit`, and the number of the last one; `None` if there is
    /// none. Leaves out damaged records and those that this version cannot read.
    ///
    /// # Errors
    ///
    /// If the session is gone or its log cannot be read.
    pub async fn records_after(
        self: &Arc<Self>,
        after: Seq,
        limit: usize,
    ) -> Result<(Vec<PersistentEvent>, Option<Seq>), SessionError> {
        let (places, _) = self.published().page(EventRange::After(after), limit)?;
        let last = places.last().map(|place| place.seq);
        Ok((self.read_known(places).await?, last))
    }

    /// The last records after `after`, at most `limit`; otherwise as [`Lane::records_after`].
    ///
    /// # Errors
    ///
    /// As [`Lane::records_after`].
    pub async fn last_records(
        self: &Arc<Self>,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<PersistentEvent>, SessionError> {
        let places = {
            let published = self.published();
            published.check_exists()?;
            let all = published.places_after(after);
            all[all.len().saturating_sub(limit)..].to_vec()
        };
        self.read_known(places).await
    }

    async fn read_known(
        self: &Arc<Self>,
        places: Vec<RecordPosition>,
    ) -> Result<Vec<PersistentEvent>, SessionError> {
        let lines = self.read_lines(places).await?;
        Ok(lines.iter().flat_map(|line| decoded(line)).collect())
    }

    /// The record at a place.
    pub(crate) async fn record_at(
        self: &Arc<Self>,
        place: RecordPosition,
    ) -> Result<PersistentEvent, SessionError> {
        let lines = self.read_lines(vec![place]).await?;
        let damaged = || SessionError::Filesystem(format!("record {} is damaged", place.seq));
        decoded(lines.first().ok_or_else(damaged)?)
    }

    /// The record with a number; `None` if there is none or it is damaged. Blocks on the disk.
    pub(crate) fn read_event(&self, seq: Seq) -> Result<Option<PersistentEvent>, SessionError> {
        let place = self.published().place_of(seq);
        let line = place.map(|place| self.read_intact(place)).transpose()?;
        line.flatten().map(|line| decoded(&line)).transpose()
    }

    /// Reads records. Damaged ones are left out.
    pub(crate) async fn read_lines(
        self: &Arc<Self>,
        places: Vec<RecordPosition>,
    ) -> Result<Vec<Bytes>, SessionError> {
        self.read_log(move |lane| {
            let read = |place: &RecordPosition| lane.read_intact(*place).transpose();
            places.iter().filter_map(read).collect()
        })
        .await
    }

    /// Reads the log on a blocking thread, without holding the lane: the log only grows, so places stay
    /// valid. If `read` finds damage, the session is reread before this returns.
    pub(crate) async fn read_log<R: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Self) -> Result<R, SessionError> + Send + 'static,
    ) -> Result<R, SessionError> {
        let lane = Arc::clone(self);
        let found = blocking(move || read(&lane)).await?;
        if self.is_reread_due() {
            self.section(|_| ()).await?;
        }
        found
    }

    /// Reads a record; `None` if it is damaged. The records around it are still served, and the next
    /// section rereads the log. Blocks on the disk.
    pub(crate) fn read_intact(&self, place: RecordPosition) -> Result<Option<Bytes>, SessionError> {
        match self.reader.read(place) {
            Ok(line) => Ok(Some(line)),
            Err(ReadError::Damaged(damage)) => {
                self.found_damage(&damage);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Voids the checkpoint at once: if this daemon dies before the reread, the next load reads the
    /// whole log and finds the damage too.
    fn found_damage(&self, damage: &Damage) {
        tracing::error!(session = %self.id(), offset = damage.offset, bytes = damage.len,
            reason = %damage.reason, "the log is damaged");
        if self.mark_unsound() {
            self.void_checkpoint();
        }
    }
}

impl PublishedLane<'_> {
    /// The places of one page, and whether more events follow.
    pub(crate) fn page(
        &self,
        range: EventRange,
        limit: usize,
    ) -> Result<(Vec<RecordPosition>, bool), SessionError> {
        self.check_exists()?;
        let index = &self.state().fold.index;
        Ok(match range {
            EventRange::After(seq) => {
                let all = index.after(seq);
                let count = fitting(all.iter().take(limit), PAGE_BYTES);
                (all[..count].to_vec(), count < all.len())
            }
            EventRange::Before(seq) => {
                let all = index.before(seq, limit.saturating_add(1));
                let count = fitting(all.iter().rev().take(limit), PAGE_BYTES);
                (all[all.len() - count..].to_vec(), count < all.len())
            }
        })
    }
}

fn tree_entry(node: TreeNode) -> TreeEntry {
    TreeEntry {
        id: node.id,
        parent_id: node.parent_id,
        seq: node.seq,
        turn_end: node.turn_end,
        turn_id: None,
        user_event_id: None,
        preview: None,
        outcome: None,
        file_changes: None,
    }
}

/// The number of `places` that have at most `max_bytes` together; at least one, if there is one.
pub(crate) fn fitting<'a>(
    places: impl Iterator<Item = &'a RecordPosition>,
    max_bytes: u64,
) -> usize {
    let mut bytes = 0;
    places
        .enumerate()
        .take_while(|(number, place)| {
            bytes += u64::from(place.len);
            *number == 0 || bytes <= max_bytes
        })
        .count()
}

/// A line of the log as a JSON value of a reply.
pub(crate) fn encoded(line: &Bytes) -> Result<EncodedEvent, SessionError> {
    let text = std::str::from_utf8(line).ok().map(ToOwned::to_owned);
    let raw = text.and_then(|text| RawValue::from_string(text).ok());
    raw.map(EncodedEvent::new)
        .ok_or_else(|| SessionError::Internal("a line of the log is not JSON".to_owned()))
}

/// The id of a record, also of an unknown type.
pub(crate) fn event_id(line: &[u8]) -> Option<EventId> {
    #[derive(Deserialize)]
    struct Identified {
        id: EventId,
    }
    let identified: Identified = serde_json::from_slice(line).ok()?;
    Some(identified.id)
}

/// A line of the log as an event of a known type.
pub(crate) fn decoded(line: &[u8]) -> Result<PersistentEvent, SessionError> {
    let text = std::str::from_utf8(line).unwrap_or_default();
    match Event::decode(text) {
        Ok(Event::Persistent(event)) => Ok(*event),
        _ => Err(SessionError::Internal(
            "an event of the log cannot be decoded".to_owned(),
        )),
    }
}
