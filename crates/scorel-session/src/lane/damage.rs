//! Damage of a log that somebody has to accept before the session goes on.

use std::fmt;
use std::sync::Arc;

use scorel_journal::{Damage, DamageReason, OpenReport};
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

/// The damage that a report names and nobody has accepted, one place for each hole.
///
/// Damage that stands side by side is one hole, and so is damage with the gap that it leaves: the
/// intact record behind it follows one that cannot be read.
#[must_use]
pub fn unaccepted_damage(
    report: &OpenReport,
    accepted: &[DamageAcceptedBody],
) -> Vec<DamagedPlace> {
    let is_accepted = |offset, length| {
        let mut accepted = accepted.iter();
        accepted.any(|known| (known.offset, known.length) == (offset, length))
    };
    // A part of a hole may have been accepted before the rest was damaged.
    let parts = |hole: Vec<&Damage>| -> Vec<DamagedPlace> {
        hole.split(|damage| is_accepted(damage.offset, damage.len))
            .filter_map(place)
            .collect()
    };
    holes(&report.damage)
        .into_iter()
        .flat_map(parts)
        .filter(|place| !is_accepted(place.offset, place.length))
        .collect()
}

/// Each hole with its damage, without the gaps that it explains.
fn holes(damage: &[Damage]) -> Vec<Vec<&Damage>> {
    let mut holes: Vec<Vec<&Damage>> = Vec::new();
    for damage in damage {
        match holes.last_mut() {
            Some(hole) if adjoins(hole, damage) => {
                if !is_gap(damage) {
                    hole.push(damage);
                }
            }
            _ => holes.push(vec![damage]),
        }
    }
    holes
}

/// Whether nothing but a newline stands between a hole and what comes next.
fn adjoins(hole: &[&Damage], next: &Damage) -> bool {
    hole.last().is_some_and(|last| {
        let end = last.offset + last.len;
        !is_gap(last) && (end..=end + 1).contains(&next.offset)
    })
}

/// Whether the bytes are intact and only something before them is missing.
const fn is_gap(damage: &Damage) -> bool {
    matches!(damage.reason, DamageReason::Gap { .. })
}

/// The place of a whole hole.
fn place(hole: &[&Damage]) -> Option<DamagedPlace> {
    let (first, last) = (hole.first()?, hole.last()?);
    Some(DamagedPlace {
        offset: first.offset,
        length: last.offset + last.len - first.offset,
        reason: first.reason.to_string(),
    })
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
