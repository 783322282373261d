use std::sync::Arc;

use scorel_engine::StopCause;
use scorel_proto::{ClientId, Seq};

use crate::SessionError;
use crate::lane::{EventDraft, JobName, Lane, Section};

impl Lane {
    /// Records that the running restore of files was cancelled, if it was, so that the next daemon does not
    /// finish it. The other jobs need no record: none goes on after a crash.
    ///
    /// # Errors
    ///
    /// [`SessionError::CancelNotRecorded`] if the log cannot be written. The signal stands all the same.
    pub async fn record_cancelled_restore(
        self: &Arc<Self>,
        client: ClientId,
    ) -> Result<Option<Seq>, SessionError> {
        // Looked at outside of the lane, which a cancelled turn must not wait for.
        if self.view(|view| view.state.restore.is_none()) {
            return Ok(None);
        }
        self.section(move |section| {
            let recorded = record_cancel(section, client);
            recorded.map_err(|error| section.not_recorded((true, true), (false, false), error))
        })
        .await?
    }
}

/// As [`Lane::record_cancelled_restore`].
pub(super) fn record_cancel(
    section: &mut Section<'_>,
    client: ClientId,
) -> Result<Option<Seq>, SessionError> {
    let open = section.view().state.restore.filter(|open| !open.cancelled);
    let is_cancelled = section.lane().stop_cause() == Some(StopCause::Cancelled);
    let Some(open) = open.filter(|_| is_cancelled) else {
        return Ok(None);
    };
    let body = section.queue_update(Vec::new(), Some(JobName::Restore(open.event_id)));
    let event = section.commit(EventDraft::new(body).authored_by(client))?;
    Ok(Some(event.seq))
}
