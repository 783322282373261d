use scorel_proto::{NoticeBody, PersistentBody, TurnId};

use super::{EventDraft, Section};
use crate::SessionError;

impl Section<'_> {
    /// Tells the user something in a turn, unless the session has said it before.
    pub(crate) fn tell(
        &mut self,
        turn_id: TurnId,
        notice: &NoticeBody,
    ) -> Result<(), SessionError> {
        if self.view().state.notices.contains(&notice.code) {
            return Ok(());
        }
        let body = PersistentBody::Notice(notice.clone());
        self.commit(EventDraft::new(body).in_turn(turn_id))?;
        Ok(())
    }

    /// Records that the log is an older copy, and then counts it as said.
    pub(crate) fn tell_older(&mut self, turn_id: TurnId) -> Result<(), SessionError> {
        let older = self.published().state().health.older.clone();
        if let Some(notice) = older {
            self.tell(turn_id, &notice)?;
            self.publish_change(|state| state.health.older = None);
            self.announce();
        }
        Ok(())
    }
}
