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
}
