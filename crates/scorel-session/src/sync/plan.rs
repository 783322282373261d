use scorel_proto::{Anchors, Seq, SyncMode};

use super::cursor::SyncCursor;
use crate::lane::PublishedLane;

/// The reason why the stream cannot be resumed although the records are known.
const EVICTED: &str = "some transient events are no longer kept";

/// The log is not the one that the client has seen: another one was put in its place. A fixed word,
/// for clients that tell their users.
const DIVERGED: &str = "diverged";

/// How a client with given anchors catches up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyncPlan {
    pub(crate) mode: SyncMode,
    pub(crate) reason: Option<&'static str>,
    pub(crate) cursor: SyncCursor,
}

impl SyncPlan {
    /// Compares a client's anchors with the session. `diverged`: the client's record is not the one
    /// that the log has under its number.
    pub(crate) fn new(published: &PublishedLane<'_>, anchors: Anchors, diverged: bool) -> Self {
        if diverged {
            return Self::full(Some(DIVERGED));
        }
        let record = anchors.persistent_last_seq;
        if record == Seq::ZERO && anchors.stream_last_seq.unwrap_or(Seq::ZERO) == Seq::ZERO {
            return Self::full(None);
        }
        if record != Seq::ZERO && published.place_of(record).is_none() {
            return Self::full(Some(
                "persistentLastSeq is not the number of a record of this session",
            ));
        }
        let Some(stream) = anchors.stream_last_seq else {
            return Self::fallback(record, None);
        };
        if stream < record {
            return Self::full(Some("streamLastSeq is before persistentLastSeq"));
        }
        if stream > published.head() {
            return Self::full(Some("streamLastSeq is ahead of this session"));
        }
        if !published.ring_covers(stream) {
            return Self::fallback(record, Some(EVICTED));
        }
        Self {
            mode: SyncMode::StreamResume,
            reason: None,
            cursor: SyncCursor::Resume {
                after: record,
                through: stream,
            },
        }
    }

    /// The plan for a client whose next events left the ring while it caught up.
    pub(crate) const fn evicted(record: Seq) -> Self {
        Self::fallback(record, Some(EVICTED))
    }

    const fn full(reason: Option<&'static str>) -> Self {
        Self::reload(SyncMode::FullReload, Seq::ZERO, reason)
    }

    const fn fallback(record: Seq, reason: Option<&'static str>) -> Self {
        Self::reload(SyncMode::PersistentFallback, record, reason)
    }

    const fn reload(mode: SyncMode, after: Seq, reason: Option<&'static str>) -> Self {
        Self {
            mode,
            reason,
            cursor: SyncCursor::Reload { mode, after },
        }
    }
}
