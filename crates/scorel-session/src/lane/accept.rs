use scorel_proto::{DamageAcceptedBody, PersistentBody, Seq};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::damage::DamagedRange;
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `acceptDamage`: the session goes on when no damaged place is left.
///
/// Refused with [`SessionError::Conflict`] if no such place waits to be accepted.
#[derive(Debug)]
pub struct DamageAcceptance {
    pub command: MutationCommand,
    pub offset: u64,
    pub length: u64,
}

impl Mutation for DamageAcceptance {
    type Reply = Seq;

    /// It starts nothing by itself: recovery and the queue check for drain where they start turns.
    const WHILE_DRAINING: bool = true;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done()
    }

    /// Damage is what it is for. A lost log fails the commit.
    fn check_health(&self, _: &Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        let published = section.published();
        let mut damage = published.state().health.damage.iter();
        if damage.any(|place| self.names(place)) {
            return Ok(());
        }
        let text = "no damaged place with this offset and length waits to be accepted";
        Err(SessionError::Conflict(text.to_owned()))
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let body = DamageAcceptedBody {
            offset: self.offset,
            length: self.length,
        };
        let draft = EventDraft::new(PersistentBody::DamageAccepted(body)).by(&self.command);
        let seq = section.commit_despite_damage(draft)?.seq;
        let all_accepted = section.publish_change(|state| {
            let damage = &mut state.health.damage;
            damage.retain(|place| !self.names(place));
            damage.is_empty()
        });
        if all_accepted {
            section.wake();
        }
        section.announce();
        Ok(seq)
    }
}

impl DamageAcceptance {
    const fn names(&self, place: &DamagedRange) -> bool {
        place.offset == self.offset && place.length == self.length
    }
}
