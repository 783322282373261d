use scorel_proto::{InFlight, Seq, SessionId, SyncMarker, SyncMode};
use serde::Serialize;

/// The line that `--json` prints when transient events were lost: all persistent events were
/// printed, this is a snapshot of everything unfinished, live events follow. A stable format.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "sync", rename_all = "camelCase")]
pub(super) struct SyncLine {
    session_id: SessionId,
    mode: SyncMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// All events up to this one that still exist were printed.
    through_seq: Seq,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_flight: Option<InFlight>,
}

/// Collects the markers of a reload into a [`SyncLine`].
#[derive(Debug, Default)]
pub(super) struct SyncLineBuilder {
    mode: Option<SyncMode>,
    reason: Option<String>,
    in_flight: Option<InFlight>,
}

impl SyncLineBuilder {
    /// Adds a marker, and returns the line at the end of a reload. Resuming the stream loses
    /// nothing and gives no line.
    pub(super) fn marker(&mut self, marker: &SyncMarker) -> Option<SyncLine> {
        match marker {
            SyncMarker::SyncStart { mode, reason, .. } => {
                *self = Self {
                    mode: (*mode != SyncMode::StreamResume).then_some(*mode),
                    reason: reason.clone(),
                    in_flight: None,
                };
                None
            }
            SyncMarker::InFlight { in_flight, .. } => {
                self.in_flight = Some(in_flight.clone());
                None
            }
            SyncMarker::SyncEnd {
                session_id,
                through_seq,
            } => {
                let reload = std::mem::take(self);
                reload.mode.map(|mode| SyncLine {
                    session_id: *session_id,
                    mode,
                    reason: reload.reason,
                    through_seq: *through_seq,
                    in_flight: reload.in_flight,
                })
            }
            SyncMarker::End { .. } => None,
        }
    }
}

impl SyncLine {
    /// All events up to this one that still exist were printed.
    pub(super) const fn through_seq(&self) -> Seq {
        self.through_seq
    }
}
