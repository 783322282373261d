//! The conversation as the model reads it.

use std::sync::Arc;

use scorel_journal::Place;
use scorel_proto::{
    Event, InstructionPart, InstructionSnapshotBody, PersistentBody, PersistentEvent, TurnId,
};

use super::{Draft, Lane, Section};
use crate::SessionError;

impl Lane {
    /// Reads the events from the root to the active leaf.
    pub(crate) async fn active_path(
        self: &Arc<Self>,
    ) -> Result<Vec<PersistentEvent>, SessionError> {
        let places: Vec<Place> = {
            let mut locked = self.lock().await;
            let section = locked.section();
            let path = section.view().tree.path(section.view().leaf());
            path.iter()
                .filter_map(|node| section.place_of(node.seq))
                .collect()
        };
        let wanted = places.len();
        let lines = self.read_lines(places).await?;
        if lines.len() < wanted {
            // The model must not be shown a conversation with a hole in it.
            let text = "a message of the conversation is damaged in the log";
            return Err(SessionError::Filesystem(text.to_owned()));
        }
        // Events of unknown types are kept in the log and are not for the model.
        Ok(lines.iter().filter_map(|line| decode(line).ok()).collect())
    }
}

impl Section<'_> {
    /// The session's instructions: those that an earlier turn froze, or `parts`, frozen now. They
    /// are the prefix of every request, and a provider's cache holds only for an unchanged prefix.
    pub(crate) fn freeze_instructions(
        &mut self,
        turn_id: TurnId,
        parts: Vec<InstructionPart>,
    ) -> Result<String, SessionError> {
        let frozen = self.view().state.snapshot_seq;
        if let Some(place) = frozen.and_then(|seq| self.place_of(seq)) {
            let damaged = "the instructions of the session are damaged in the log";
            let line = self.read_intact(place)?;
            return snapshot_text(
                &line.ok_or_else(|| SessionError::Filesystem(damaged.to_owned()))?,
            );
        }
        let body = InstructionSnapshotBody { parts };
        let text = body.text();
        self.commit(Draft::new(PersistentBody::InstructionSnapshot(body)).in_turn(turn_id))?;
        Ok(text)
    }
}

fn snapshot_text(line: &[u8]) -> Result<String, SessionError> {
    match decode(line)?.body {
        PersistentBody::InstructionSnapshot(body) => Ok(body.text()),
        _ => Err(SessionError::Internal(
            "the index names another record as the instruction snapshot".to_owned(),
        )),
    }
}

fn decode(line: &[u8]) -> Result<PersistentEvent, SessionError> {
    let text = std::str::from_utf8(line).unwrap_or_default();
    match Event::decode(text) {
        Ok(Event::Persistent(event)) => Ok(*event),
        _ => Err(SessionError::Internal(
            "an event of the log cannot be decoded".to_owned(),
        )),
    }
}
