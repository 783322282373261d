//! Reading a session's log.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use scorel_journal::{Damage, Place, ReadError};
use scorel_proto::{EncodedEvent, GetEventsResult, GetTreeResult, Seq, TreeEntry};
use serde_json::value::RawValue;

use super::Lane;
use crate::SessionError;

/// How many bytes of events one page of an answer holds about at most.
const PAGE_BYTES: u64 = 4 * 1024 * 1024;

/// Which events to read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Range {
    /// Those after a number.
    After(Seq),
    /// The last ones before a number.
    Before(Seq),
}

impl Lane {
    /// Reads events of the log in ascending order.
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
        let range = match (after, before) {
            (Some(_), Some(_)) => {
                let text = "`afterSeq` and `beforeSeq` exclude each other";
                return Err(SessionError::InvalidParams(text.to_owned()));
            }
            (_, Some(before)) => Range::Before(before),
            (after, None) => Range::After(after.unwrap_or(Seq::ZERO)),
        };
        let (places, more) = self.places(range, limit).await?;
        let lines = self.read_lines(places).await?;
        let events = lines.iter().map(encoded).collect::<Result<_, _>>()?;
        Ok(GetEventsResult { events, more })
    }

    /// Where the events of one page are, and whether there are more.
    async fn places(&self, range: Range, limit: usize) -> Result<(Vec<Place>, bool), SessionError> {
        let state = self.lock().await;
        state.check_exists()?;
        Ok(match range {
            Range::After(seq) => {
                let all = state.index.after(seq);
                let count = fitting(all.iter().take(limit));
                (all[..count].to_vec(), count < all.len())
            }
            Range::Before(seq) => {
                let all = state.index.before(seq, limit.saturating_add(1));
                let count = fitting(all.iter().rev().take(limit));
                (all[all.len() - count..].to_vec(), count < all.len())
            }
        })
    }

    /// Reads a record, or nothing if it is damaged: what stands around it is served, and the next
    /// section of the lane reads the log again. Blocks on the disk.
    pub(crate) fn read_intact(&self, place: Place) -> Result<Option<Bytes>, SessionError> {
        match self.reader.read(place) {
            Ok(line) => Ok(Some(line)),
            Err(ReadError::Damaged(damage)) => {
                self.found_damage(&damage);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the records at `places` that are not damaged. Blocks on the disk.
    pub(crate) fn read_each(&self, places: &[Place]) -> Result<Vec<Bytes>, SessionError> {
        let read = |place: &Place| self.read_intact(*place).transpose();
        places.iter().filter_map(read).collect()
    }

    /// Without a checkpoint the next load finds the damage too, if this daemon ends before it has
    /// looked.
    fn found_damage(&self, damage: &Damage) {
        tracing::error!(session = %self.id(), offset = damage.offset, bytes = damage.len,
            reason = %damage.reason, "the log is damaged");
        self.look_due.store(true, Ordering::Release);
        if !self.unsound.swap(true, Ordering::AcqRel) {
            self.void_checkpoint();
        }
    }

    /// Reads lines of the log, off the asynchronous threads; damaged ones are left out and reported
    /// as those that loading finds.
    pub(crate) async fn read_lines(
        self: &Arc<Self>,
        places: Vec<Place>,
    ) -> Result<Vec<Bytes>, SessionError> {
        let lane = Arc::clone(self);
        let lines = tokio::task::spawn_blocking(move || lane.read_each(&places))
            .await
            .map_err(|error| SessionError::Internal(error.to_string()))?;
        if self.must_look() {
            self.section(|_, _| ()).await?;
        }
        lines
    }

    /// Reads the skeleton of the tree.
    ///
    /// # Errors
    ///
    /// If the session is gone.
    pub async fn tree(&self, after: Seq, limit: usize) -> Result<GetTreeResult, SessionError> {
        let state = self.lock().await;
        state.check_exists()?;
        let tree = &state.view.tree;
        let mut rest = tree.nodes_after(after);
        let entry = |node: scorel_proto::TreeNode| TreeEntry {
            id: node.id,
            parent_id: node.parent_id,
            seq: node.seq,
            turn_end: node.turn_end,
        };
        let nodes = rest.by_ref().take(limit).map(entry).collect();
        let more = rest.next().is_some();
        Ok(GetTreeResult {
            nodes,
            more,
            active_leaf_id: tree.leaf(),
        })
    }
}

/// How many of `places` fit on one page; at least one.
fn fitting<'a>(places: impl Iterator<Item = &'a Place>) -> usize {
    let mut bytes = 0;
    places
        .enumerate()
        .take_while(|(number, place)| {
            bytes += u64::from(place.len);
            *number == 0 || bytes <= PAGE_BYTES
        })
        .count()
}

/// A line of the log as it goes out.
pub(crate) fn encoded(line: &Bytes) -> Result<EncodedEvent, SessionError> {
    let text = std::str::from_utf8(line).ok().map(ToOwned::to_owned);
    let raw = text.and_then(|text| RawValue::from_string(text).ok());
    raw.map(EncodedEvent::new)
        .ok_or_else(|| SessionError::Internal("a line of the log is not JSON".to_owned()))
}
