use scorel_proto::{InFlight, Seq, SessionId, SyncMarker, SyncMode};
use serde::Serialize;

/// What a client that reads events as JSON lines is told when events that are not in the log are
/// gone: the persistent ones were printed, this is what is open, and live events follow.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "sync", rename_all = "camelCase")]
pub(super) struct SyncLine {
    session_id: SessionId,
    mode: SyncMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The number through which everything that still exists was printed.
    through_seq: Seq,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_flight: Option<InFlight>,
}

/// Makes a sync line from the markers of a reload.
#[derive(Debug, Default)]
pub(super) struct Reload {
    mode: Option<SyncMode>,
    reason: Option<String>,
    in_flight: Option<InFlight>,
}

impl Reload {
    /// Takes note of a marker. At the end of a reload there is a line to print; nothing is lost
    /// by a sync that resumes the stream.
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
    /// The number through which everything that still exists was printed.
    pub(super) const fn through_seq(&self) -> Seq {
        self.through_seq
    }
}
