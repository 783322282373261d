//! Damaged ranges of a log, as a client sees and accepts them.
//!
//! The journal reports every line that fails its check and every gap in the chain of `prev`
//! numbers. A client accepts *holes*: one contiguous range each, with the gap that it leaves.

use std::fmt;

use scorel_journal::{Damage, OpenReport};
use scorel_proto::DamageAcceptedBody;
use serde::Serialize;

/// An unreadable range of a log. `acceptDamage` names it by offset and length, both in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DamagedRange {
    pub offset: u64,
    pub length: u64,
    pub reason: String,
}

impl fmt::Display for DamagedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at offset {}, {} bytes: {}",
            self.offset, self.length, self.reason
        )
    }
}

/// The holes in a report that no `damage_accepted` record covers yet.
///
/// Adjacent damage is one hole. So is damage together with the gap that follows it: the next intact
/// record names a predecessor that cannot be read.
pub fn unaccepted_damage(
    report: &OpenReport,
    accepted: &[DamageAcceptedBody],
) -> Vec<DamagedRange> {
    let is_accepted = |offset, length| {
        let mut accepted = accepted.iter();
        accepted.any(|known| (known.offset, known.length) == (offset, length))
    };
    // Part of a hole may have been accepted before its neighbours were damaged.
    let parts = |hole: Vec<&Damage>| -> Vec<DamagedRange> {
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

/// The end that a log has lost: its checkpoint covers it up to `covered` bytes, but it is intact only
/// up to `end`. `None` if a client has accepted that.
pub(crate) fn lost_end(
    end: u64,
    covered: u64,
    accepted: &[DamageAcceptedBody],
) -> Option<DamagedRange> {
    // Other records may stand there by now, so the lost end is known by where it ended.
    let mut accepted = accepted.iter();
    let is_known = accepted.any(|known| known.offset + known.length == covered);
    (!is_known).then(|| DamagedRange {
        offset: end,
        length: covered - end,
        reason: "records at the end are missing, which the checkpoint covers".to_owned(),
    })
}

/// Groups damage into holes and drops the gaps that a hole explains.
fn holes(damage: &[Damage]) -> Vec<Vec<&Damage>> {
    let mut holes: Vec<Vec<&Damage>> = Vec::new();
    for damage in damage {
        match holes.last_mut() {
            Some(hole) if adjoins(hole, damage) => {
                if !is_served(damage) {
                    hole.push(damage);
                }
            }
            _ => holes.push(vec![damage]),
        }
    }
    holes
}

/// Returns whether `next` starts where the hole ends, give or take the newline between two lines.
fn adjoins(hole: &[&Damage], next: &Damage) -> bool {
    hole.last().is_some_and(|last| {
        let end = last.offset + last.len;
        !is_served(last) && (end..=end + 1).contains(&next.offset)
    })
}

/// The record itself is intact, but the one before it, or the newline before it, is missing.
const fn is_served(damage: &Damage) -> bool {
    damage.reason.is_of_a_served_record()
}

/// The range that a hole spans.
fn place(hole: &[&Damage]) -> Option<DamagedRange> {
    let (first, last) = (hole.first()?, hole.last()?);
    Some(DamagedRange {
        offset: first.offset,
        length: last.offset + last.len - first.offset,
        reason: first.reason.to_string(),
    })
}
