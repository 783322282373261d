//! How a client gets up to date.

use scorel_proto::{Anchors, InFlight, Seq, SyncMode};

use crate::lane::{Lane, LaneState};

/// What a client with given anchors needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) mode: SyncMode,
    pub(crate) reason: Option<&'static str>,
    /// Persistent events after this number are missing.
    pub(crate) after: Seq,
}

/// Compares a client's anchors with the session.
pub(crate) fn plan(lane: &Lane, state: &LaneState, anchors: Anchors) -> Plan {
    let persistent = anchors.persistent_last_seq;
    let full = |reason| Plan {
        mode: SyncMode::FullReload,
        reason,
        after: Seq::ZERO,
    };
    if persistent == Seq::ZERO && anchors.stream_last_seq.is_none_or(|seq| seq == Seq::ZERO) {
        return full(None);
    }
    if persistent != Seq::ZERO && !state.index.contains(persistent) {
        return full(Some(
            "persistentLastSeq is not the number of a record of this session",
        ));
    }
    let Some(stream) = anchors.stream_last_seq else {
        return Plan {
            mode: SyncMode::PersistentFallback,
            reason: None,
            after: persistent,
        };
    };
    if stream < persistent {
        return full(Some("streamLastSeq is before persistentLastSeq"));
    }
    if stream > lane.feed.head() {
        return full(Some("streamLastSeq is ahead of this session"));
    }
    if lane.feed.covers(stream) {
        return Plan {
            mode: SyncMode::StreamResume,
            reason: None,
            after: persistent,
        };
    }
    let reason = Some("some transient events are no longer kept");
    Plan {
        mode: SyncMode::PersistentFallback,
        reason,
        after: persistent,
    }
}

/// What is open in a session at the moment.
pub(crate) fn in_flight(lane: &Lane, state: &LaneState) -> InFlight {
    let folded = &state.view.state;
    InFlight {
        phase: lane.phase_of(state),
        turn_id: folded.turn_id(),
        open: state.view.open.clone(),
        queue: folded.queue.clone(),
        permissions: folded.permissions.clone(),
    }
}
