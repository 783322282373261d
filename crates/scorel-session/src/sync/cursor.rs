use std::sync::Arc;

use bytes::Bytes;
use scorel_journal::RecordPosition;
use scorel_proto::{EventId, InFlight, Seq, SyncMode};

use crate::SessionError;
use crate::feed::{FeedBatch, FellBehind};
use crate::lane::{Lane, PublishedLane, fitting};

/// About how many bytes of events one batch has at most. Small in this crate's own tests, so that
/// short histories have many batches.
const BATCH_BYTES: usize = if cfg!(test) { 1024 } else { 256 * 1024 };

/// A client's position while it catches up and afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncCursor {
    /// Next: the records after `after` to the end of the log, then the in-flight state.
    Reload { mode: SyncMode, after: Seq },
    /// Next: the records in `(after, through]`, then every event after `through`. The client has the
    /// transient events up to `through` already.
    Resume { after: Seq, through: Seq },
    /// Next: every event after `after`, from the ring. `record` is the last record up to there, in
    /// case the ring no longer has them.
    Live { after: Seq, record: Seq },
}

/// The session at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SyncPoint {
    pub(crate) head: Seq,
    pub(crate) leaf: Option<EventId>,
}

/// What a client gets next.
#[derive(Debug)]
pub(crate) enum SyncBatch {
    /// Some records; more follow.
    Records(Vec<Bytes>),
    /// The last records of a reload, the in-flight state, and the moment at which all that holds.
    ReloadEnd {
        lines: Vec<Bytes>,
        in_flight: InFlight,
        at: SyncPoint,
    },
    /// Events from the ring.
    Live(FeedBatch),
    /// The ring no longer has the next event. The client has every record up to `record`.
    FellBehind { record: Seq },
}

impl SyncPoint {
    pub(crate) fn of(published: &PublishedLane<'_>) -> Self {
        Self {
            head: published.head(),
            leaf: published.view().leaf(),
        }
    }
}

impl SyncCursor {
    /// The seq through which the client has been given everything.
    pub(crate) const fn given_through(self) -> Seq {
        match self {
            Self::Reload { after, .. } | Self::Resume { after, .. } | Self::Live { after, .. } => {
                after
            }
        }
    }

    /// Takes the next batch and moves behind it. Live events after `until` are left out.
    ///
    /// Dropping the future loses nothing: the cursor moves after the last await.
    pub(crate) async fn next(
        &mut self,
        lane: &Arc<Lane>,
        until: Option<Seq>,
    ) -> Result<SyncBatch, SessionError> {
        match *self {
            Self::Reload { mode, after } => self.reload(lane, mode, after).await,
            Self::Resume { after, through } => self.resume(lane, after, through).await,
            Self::Live { after, record } => Ok(self.live(lane, after, record, until)),
        }
    }

    /// Record positions, the in-flight snapshot and the cursor are taken at one moment, or an event
    /// between them would be lost or repeated. The records are read afterwards: the log only grows.
    async fn reload(
        &mut self,
        lane: &Arc<Lane>,
        mode: SyncMode,
        after: Seq,
    ) -> Result<SyncBatch, SessionError> {
        loop {
            let (places, end) = {
                let published = lane.published();
                let (places, more) = page(&published, after, Seq::MAX)?;
                let end = || (published.in_flight(), SyncPoint::of(&published));
                (places, (!more).then(end))
            };
            let wanted = places.len();
            let last = places.last().map_or(after, |place| place.seq);
            let lines = lane.read_lines(places).await?;
            let Some((in_flight, at)) = end else {
                *self = Self::Reload { mode, after: last };
                return Ok(SyncBatch::Records(lines));
            };
            if lines.len() < wanted && !lane.is_reread_due() {
                // The log was read again because of damage, and the in-flight state has changed with it.
                continue;
            }
            *self = Self::Live {
                after: at.head,
                record: last,
            };
            return Ok(SyncBatch::ReloadEnd {
                lines,
                in_flight,
                at,
            });
        }
    }

    async fn resume(
        &mut self,
        lane: &Arc<Lane>,
        after: Seq,
        through: Seq,
    ) -> Result<SyncBatch, SessionError> {
        let (places, more) = page(&lane.published(), after, through)?;
        let last = places.last().map_or(after, |place| place.seq);
        let lines = lane.read_lines(places).await?;
        *self = if more {
            Self::Resume {
                after: last,
                through,
            }
        } else {
            Self::Live {
                after: through,
                record: last,
            }
        };
        Ok(SyncBatch::Records(lines))
    }

    /// Does not take the lane's lock: live events must reach a subscriber while a section waits for
    /// the disk.
    fn live(&mut self, lane: &Lane, after: Seq, record: Seq, until: Option<Seq>) -> SyncBatch {
        let mut batch = match lane.recent(after, BATCH_BYTES) {
            Ok(batch) => batch,
            Err(FellBehind) => return SyncBatch::FellBehind { record },
        };
        if let Some(until) = until {
            let count = batch.events.partition_point(|event| event.seq <= until);
            batch.events.truncate(count);
        }
        let last = batch.events.last().map_or(after, |event| event.seq);
        let recorded = batch.events.iter().rev().find(|event| event.persistent);
        *self = Self::Live {
            after: last,
            record: recorded.map_or(record, |event| event.seq),
        };
        SyncBatch::Live(batch)
    }
}

/// The first records in `(after, through]`, and whether more follow.
fn page(
    published: &PublishedLane<'_>,
    after: Seq,
    through: Seq,
) -> Result<(Vec<RecordPosition>, bool), SessionError> {
    published.check_exists()?;
    let rest = published.places_after(after);
    let rest = &rest[..rest.partition_point(|place| place.seq <= through)];
    let count = fitting(rest.iter(), BATCH_BYTES as u64);
    Ok((rest[..count].to_vec(), count < rest.len()))
}
