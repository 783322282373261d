use scorel_proto::{EndReason, SessionId};

use super::Section;
use super::mutate::Mutation;
use crate::receipts::ReceiptAnswer;
use crate::shared::LaneShared;
use crate::{MutationCommand, SessionError};

/// Moves the directory of a session away, atomically, and returns where it went.
pub(crate) type MoveDirectoryAway<T> = fn(&LaneShared, SessionId) -> Result<T, SessionError>;

/// `deleteSession`.
#[derive(Debug)]
pub(crate) struct DeleteSession<T>(pub(crate) MoveDirectoryAway<T>);

impl<T: Send + 'static> Mutation for DeleteSession<T> {
    type Reply = T;

    /// It ends work, and the host may be completing a deletion from before a restart.
    const WHILE_DRAINING: bool = true;

    /// The host keeps the receipt: a session's own would go with it.
    fn command(&self) -> Option<&MutationCommand> {
        None
    }

    fn repeat(&self, _: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        None
    }

    /// A failed or damaged session can be deleted, the session of a newer version cannot.
    fn check_health(&self, section: &Section<'_>) -> Result<(), SessionError> {
        section.lane.check_writable()
    }

    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        // A cancelled turn whose records cannot be written would keep the session for as long as the
        // disk is full, and deleting a session is a way to make room.
        let gives_up = section.lane.job.stop().is_some() && section.lane.storage_stall().is_some();
        if section.lane.has_job() && !gives_up {
            return Err(section.busy());
        }
        // In a damaged session nothing can end, so there nothing has to.
        if section.check_usable().is_err() {
            return Ok(());
        }
        let view = section.view();
        let mut features = section.lane.seams.features.iter();
        features.try_for_each(|feature| feature.check_delete(&view.state))
    }

    /// From its move on the session does not exist.
    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let lane = section.lane;
        let aside = (self.0)(&lane.shared, lane.id())?;
        section.publish_change(|state| state.health.deleted = true);
        lane.end_feed(EndReason::Deleted);
        lane.shared.active.leave(lane.id());
        lane.shared.windows.remove(lane.id());
        Ok(aside)
    }
}
