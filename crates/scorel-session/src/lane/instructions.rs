use scorel_proto::{InstructionPart, InstructionSnapshotBody, PersistentBody, TurnId};

use super::read::decoded;
use super::{EventDraft, Section};
use crate::SessionError;

impl Section<'_> {
    /// The session's instructions: those that an earlier turn froze, or `parts`, frozen now. They
    /// are the prefix of every request, and a provider's cache holds only for an unchanged prefix.
    pub(crate) fn freeze_instructions(
        &mut self,
        turn_id: TurnId,
        parts: &[InstructionPart],
    ) -> Result<String, SessionError> {
        let frozen = self.view().state.snapshot_seq;
        let place = frozen.and_then(|seq| self.published().place_of(seq));
        if let Some(place) = place {
            let damaged = "the instructions of the session are damaged in the log";
            let line = self.read_intact(place)?;
            return snapshot_text(
                &line.ok_or_else(|| SessionError::Filesystem(damaged.to_owned()))?,
            );
        }
        let body = InstructionSnapshotBody {
            parts: parts.to_vec(),
        };
        let text = body.text();
        self.commit(EventDraft::new(PersistentBody::InstructionSnapshot(body)).in_turn(turn_id))?;
        Ok(text)
    }
}

pub(super) fn snapshot_text(line: &[u8]) -> Result<String, SessionError> {
    match decoded(line)?.body {
        PersistentBody::InstructionSnapshot(body) => Ok(body.text()),
        _ => Err(SessionError::Internal(
            "the index names another record as the instruction snapshot".to_owned(),
        )),
    }
}
