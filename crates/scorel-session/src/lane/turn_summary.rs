use std::sync::Arc;

use scorel_journal::RecordPosition;
use scorel_proto::{Event, RunnerLogTail, Seq, TurnId, TurnStatus, TurnSummary};
use serde::Deserialize;

use super::Lane;
use super::read::decoded;
use crate::{SessionError, blocking};

/// The records that are read at a time.
const PAGE: usize = 64;

/// As much of a record as the search for a turn needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordHead {
    turn_id: Option<TurnId>,
}

impl Lane {
    /// A turn as one message; `None` if the session has no record of it.
    ///
    /// # Errors
    ///
    /// If the session is gone, or its log or a blob cannot be read.
    pub async fn turn_summary(
        self: &Arc<Self>,
        turn_id: TurnId,
    ) -> Result<Option<TurnSummary>, SessionError> {
        let events = self.events_of(turn_id).await?;
        if events.is_empty() {
            return Ok(None);
        }
        let mut summary = TurnSummary::of(turn_id, &events);
        let open = match summary.status {
            TurnStatus::Running => self.view(|view| view.open.log.clone()),
            TurnStatus::Success | TurnStatus::Error => None,
        };
        if let Some(log) = open {
            summary.logs = *log;
        } else if let Some(log) = summary.log.clone() {
            let lane = Arc::clone(self);
            let bytes = blocking(move || lane.blobs().get(&log.blob).map(|bytes| (log, bytes)));
            let (log, bytes) = bytes.await??;
            summary.logs = RunnerLogTail {
                texts: log.entries(&String::from_utf8_lossy(&bytes)).into(),
                dropped_bytes: log.dropped_bytes,
            };
        }
        Ok(Some(summary))
    }

    /// The records of a turn. They are searched from the end of the log, and no other turn's are among them.
    async fn events_of(self: &Arc<Self>, turn_id: TurnId) -> Result<Vec<Event>, SessionError> {
        let mut places: Vec<RecordPosition> = {
            let published = self.published();
            published.check_exists()?;
            published.places_after(Seq::ZERO).to_vec()
        };
        let mut found = Vec::new();
        while !places.is_empty() {
            let page = places.split_off(places.len().saturating_sub(PAGE));
            for line in self.read_lines(page).await?.iter().rev() {
                let head: Result<RecordHead, _> = serde_json::from_slice(line);
                match head.ok().and_then(|head| head.turn_id) {
                    Some(other) if other == turn_id => {
                        found.extend(decoded(line).map(|event| Event::Persistent(Box::new(event))));
                    }
                    Some(_) if !found.is_empty() => places.clear(),
                    _ => {}
                }
            }
        }
        found.reverse();
        Ok(found)
    }
}
