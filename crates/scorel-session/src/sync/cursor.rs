use std::sync::Arc;

use bytes::Bytes;
use scorel_journal::RecordPosition;
use scorel_proto::{EventId, InFlight, Seq, SyncMode};

use crate::SessionError;
use crate::feed::{FeedBatch, FellBehind};
use crate::lane::{Lane, Section};

/// About how many bytes of events one batch has at most. Small in this crate's own tests, so that
/// short histories have many batches.
const BATCH_BYTES: usize = if cfg!(test) { 1024 } else { 256 * 1024 };

/// A client's position while it catches up and afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncCursor {
    /// Next: the records after `after` to the end of the log, then what is open.
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
    /// The last records of a reload, what is open, and the moment at which all that holds.
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
    pub(crate) fn of(section: &Section<'_>) -> Self {
        Self {
            head: section.lane().head(),
            leaf: section.view().leaf(),
        }
    }
}

impl SyncCursor {
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

    /// Pages are read without holding the lane, or a long reload would delay every command. Only the
    /// last page is read in a section: its records, what is open and the cursor must be of one
    /// moment, or an event between them would be lost or repeated.
    async fn reload(
        &mut self,
        lane: &Arc<Lane>,
        mode: SyncMode,
        after: Seq,
    ) -> Result<SyncBatch, SessionError> {
        match lane
            .section(move |section| reload_page(section, after))
            .await??
        {
            ReloadPage::Places(places) => {
                let last = places.last().map_or(after, |place| place.seq);
                let lines = lane.read_lines(places).await?;
                *self = Self::Reload { mode, after: last };
                Ok(SyncBatch::Records(lines))
            }
            ReloadPage::End { batch, at, record } => {
                *self = Self::Live {
                    after: at.head,
                    record,
                };
                Ok(batch)
            }
        }
    }

    async fn resume(
        &mut self,
        lane: &Arc<Lane>,
        after: Seq,
        through: Seq,
    ) -> Result<SyncBatch, SessionError> {
        let (places, more) = {
            let mut locked = lane.lock().await;
            let section = locked.section();
            section.check_exists()?;
            let rest = section.places_after(after);
            let rest = &rest[..rest.partition_point(|place| place.seq <= through)];
            let count = fitting(rest);
            (rest[..count].to_vec(), count < rest.len())
        };
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

/// What one section of a reload yields.
#[expect(
    clippy::large_enum_variant,
    reason = "one exists at a time and is taken apart at once; a box would be an allocation a page"
)]
enum ReloadPage {
    Places(Vec<RecordPosition>),
    End {
        batch: SyncBatch,
        at: SyncPoint,
        record: Seq,
    },
}

fn reload_page(section: &mut Section<'_>, after: Seq) -> Result<ReloadPage, SessionError> {
    section.check_exists()?;
    let rest = section.places_after(after);
    let count = fitting(rest);
    if count < rest.len() {
        return Ok(ReloadPage::Places(rest[..count].to_vec()));
    }
    let lines = section.read_each(rest)?;
    // Reading may have found damage, and then more is different than these lines.
    section.reread_if_due();
    let at = SyncPoint::of(section);
    Ok(ReloadPage::End {
        record: section.last_record().unwrap_or(after),
        batch: SyncBatch::ReloadEnd {
            lines,
            in_flight: section.in_flight(),
            at,
        },
        at,
    })
}

/// How many of `places` fit into one batch; at least one, if there is one.
fn fitting(places: &[RecordPosition]) -> usize {
    let mut bytes = 0;
    let fits = |place: &&RecordPosition| {
        let first = bytes == 0;
        bytes += place.len as usize;
        first || bytes <= BATCH_BYTES
    };
    places.iter().take_while(fits).count()
}
