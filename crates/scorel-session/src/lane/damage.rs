//! Damage of a log that somebody has to accept before the session goes on.

use std::fmt;
use std::sync::Arc;

use scorel_journal::OpenReport;
use scorel_proto::{DamageAcceptedBody, PersistentBody, Seq};
use serde::Serialize;

use super::{Draft, Lane, LaneState};
use crate::receipts::Answer;
use crate::{Command, SessionError};

/// A place of a log that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DamagedPlace {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for DamagedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at offset {}, {} bytes: {}",
            self.offset, self.length, self.reason
        )
    }
}

/// The damage that a report names and nobody has accepted.
pub(crate) fn unaccepted(
    report: &OpenReport,
    accepted: &[DamageAcceptedBody],
) -> Vec<DamagedPlace> {
    let place = |damage: &scorel_journal::Damage| DamagedPlace {
        offset: damage.offset,
        length: damage.len,
        reason: damage.reason.to_string(),
    };
    let open = |place: &DamagedPlace| {
        !accepted
            .iter()
            .any(|known| (known.offset, known.length) == (place.offset, place.length))
    };
    report.damage.iter().map(place).filter(open).collect()
}

impl Lane {
    /// Accepts a damaged place. When none is left, the session goes on.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if no such place waits to be accepted.
    pub async fn accept_damage(
        self: &Arc<Self>,
        command: Command,
        offset: u64,
        length: u64,
    ) -> Result<Seq, SessionError> {
        self.section(move |lane, state| {
            state.check_exists()?;
            if let Some(Answer::Done(seq)) = state.receipts.find(&command)? {
                return Ok(*seq);
            }
            let is_meant = |place: &DamagedPlace| (place.offset, place.length) == (offset, length);
            let Some(index) = state.damage.iter().position(is_meant) else {
                let text = "no damaged place with this offset and length waits to be accepted";
                return Err(SessionError::Conflict(text.to_owned()));
            };
            let body = DamageAcceptedBody { offset, length };
            let seq = lane.commit_acceptance(state, &command, body)?;
            state.damage.remove(index);
            lane.go_on_after_damage(state);
            Ok(seq)
        })
        .await?
    }

    /// The one record that is written while there is damage.
    fn commit_acceptance(
        &self,
        state: &mut LaneState,
        command: &Command,
        body: DamageAcceptedBody,
    ) -> Result<Seq, SessionError> {
        let damage = std::mem::take(&mut state.damage);
        let draft = Draft::new(PersistentBody::DamageAccepted(body)).by(command);
        let committed = self.commit(state, draft);
        state.damage = damage;
        committed.map(|event| event.seq)
    }

    fn go_on_after_damage(self: &Arc<Self>, state: &mut LaneState) {
        if state.damage.is_empty() {
            self.wake(state);
        }
        self.announce(state);
    }
}
