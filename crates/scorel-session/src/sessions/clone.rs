use std::sync::Arc;

use scorel_journal::{ReadError, if_present};
use scorel_proto::{ClientId, EventId, Session, SessionId, SessionParent};

use super::Sessions;
use super::unfinished::{UnfinishedSession, internal};
use crate::history_copy::HistoryCopy;
use crate::history_writer::HistoryWriter;
use crate::lane::LaneHistory;
use crate::{Lane, SessionError, SessionHeader, blocking};

/// The parameters of a clone.
#[derive(Debug, Clone, Copy)]
pub struct CloneRequest {
    pub source: SessionId,
    /// The last event of the copy, at which a finished turn ends; `None` copies only settings.
    pub event_id: Option<EventId>,
    pub client_id: ClientId,
}

impl Sessions {
    /// Creates the session `id` with a copy of another session's history, durably. The source may
    /// run meanwhile. A session with this id is a clone that a crash kept from being acknowledged.
    ///
    /// Until it is complete, the clone is made in a directory that is no session's; the rename makes
    /// it one. So a crash leaves all of it or nothing.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]. Nothing is left then, as far as the disk allows.
    pub async fn clone_as(
        self: &Arc<Self>,
        id: SessionId,
        request: CloneRequest,
    ) -> Result<Session, SessionError> {
        self.make(id, move |sessions, known| async move {
            if let Some(lane) = known {
                return Ok(lane);
            }
            sessions.make_clone(id, request).await?;
            sessions.get(id).await
        })
        .await
    }

    /// Removes what a daemon that died has left of clones. To be called before a clone can be made.
    pub async fn remove_unfinished_clones(&self) {
        let dir = self.shared.cloning_dir();
        let removed = blocking(move || if_present(std::fs::remove_dir_all(dir))).await;
        if let Ok(Err(error)) = removed {
            tracing::warn!(%error, "an unfinished clone cannot be removed");
        }
    }

    async fn make_clone(
        self: &Arc<Self>,
        id: SessionId,
        request: CloneRequest,
    ) -> Result<(), SessionError> {
        let source = self.get(request.source).await?;
        let history = source.history(request.event_id)?;
        let header = SessionHeader {
            parent: Some(SessionParent {
                session_id: source.id(),
                event_id: request.event_id,
                task_id: None,
            }),
            ..self.new_header(id, source.header().project_id)
        };
        self.on_disk(move |shared| {
            let unfinished = UnfinishedSession::new(shared);
            unfinished.make(id, |unfinished| {
                let log = unfinished.create_log(&header, request.client_id)?;
                write_clone(log, &source, history)?;
                unfinished.sync()?;
                // Its blobs may be gone.
                source.session().map(drop)
            })
        })
        .await?
    }
}

fn write_clone(
    mut log: HistoryWriter,
    source: &Lane,
    history: LaneHistory,
) -> Result<(), SessionError> {
    log.record_settings(history.settings)?;
    let ids = (source.id(), log.session_id);
    let mut copy = HistoryCopy::new(ids, &history.path, history.prefix);
    for record in history.records {
        let record = match record {
            Ok(record) => record,
            // If the clone needs the record, the path is not complete.
            Err(ReadError::Damaged(_)) => continue,
            Err(error) => return Err(error.into()),
        };
        let text = std::str::from_utf8(&record.line).map_err(internal)?;
        if let Some(fields) = copy.copy(text).map_err(internal)? {
            log.append_fields(fields)?;
        }
    }
    if !copy.is_complete() {
        let damaged = "a message of the conversation is damaged in the log";
        return Err(SessionError::Filesystem(damaged.to_owned()));
    }
    Ok(source.blobs().share(&copy.blobs, &log.blobs)?)
}
