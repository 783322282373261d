use std::path::Path;
use std::sync::Arc;

use scorel_journal::{FORMAT, Journal, ReadError};
use scorel_proto::{
    ClientId, EventId, PersistentBody, PersistentEvent, Seq, Session, SessionId, SessionInfoBody,
    SessionKind, SessionParent,
};

use super::Sessions;
use super::unfinished::{UnfinishedSession, internal};
use crate::clock::now_ms;
use crate::header::HeaderType;
use crate::history_copy::{HistoryCopy, RecordFields};
use crate::lane::LaneHistory;
use crate::shared::LaneShared;
use crate::{Lane, SessionError, SessionHeader, blocking};

/// The parameters of a clone.
#[derive(Debug, Clone, Copy)]
pub struct CloneRequest {
    pub source: SessionId,
    /// The last event of the copy, at which a finished turn ends; `None` copies only settings.
    pub event_id: Option<EventId>,
    pub client_id: ClientId,
}

/// A clone while it is made.
struct UnfinishedClone<'a> {
    shared: &'a LaneShared,
    source: &'a Lane,
    header: SessionHeader,
    author: ClientId,
    unfinished: UnfinishedSession,
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
        let removed = scorel_engine::spawn_blocking(move || std::fs::remove_dir_all(dir)).await;
        match removed {
            Ok(Err(error)) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, "an unfinished clone cannot be removed");
            }
            _ => {}
        }
    }

    async fn make_clone(
        self: &Arc<Self>,
        id: SessionId,
        request: CloneRequest,
    ) -> Result<(), SessionError> {
        let source = self.get(request.source).await?;
        let history = source.history(request.event_id)?;
        let header = self.clone_header(id, &source, request.event_id);
        let shared = Arc::clone(&self.shared);
        blocking(move || {
            let unfinished = UnfinishedClone {
                unfinished: UnfinishedSession::new(&shared),
                shared: &shared,
                source: &source,
                header,
                author: request.client_id,
            };
            unfinished.complete(id, history)
        })
        .await?
    }

    fn clone_header(
        &self,
        id: SessionId,
        source: &Lane,
        event_id: Option<EventId>,
    ) -> SessionHeader {
        SessionHeader {
            agent: None,
            origin: None,
            type_name: HeaderType::Session,
            format: FORMAT,
            session_id: id,
            project_id: source.header().project_id,
            device_id: self.device_id,
            kind: SessionKind::User,
            parent: Some(SessionParent {
                session_id: source.id(),
                event_id,
                task_id: None,
            }),
            created_at: now_ms(),
            version: self.version.clone(),
        }
    }
}

impl UnfinishedClone<'_> {
    fn complete(&self, id: SessionId, history: LaneHistory) -> Result<(), SessionError> {
        let completed = self
            .write(history)
            .and_then(|()| self.name(&self.shared.session_dir(id)));
        if completed.is_err() {
            self.unfinished.remove();
        }
        completed
    }

    fn write(&self, history: LaneHistory) -> Result<(), SessionError> {
        let mut journal = self.unfinished.create_log(&self.header)?;
        self.write_settings(&history, &mut journal)?;
        let ids = (self.source.id(), self.header.session_id);
        let mut copy = HistoryCopy::new(ids, &history.path, history.snapshot);
        for record in history.records {
            let record = match record {
                Ok(record) => record,
                // If the clone needs the record, the path is not complete.
                Err(ReadError::Damaged(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            let text = std::str::from_utf8(&record.line).map_err(internal)?;
            if let Some(fields) = copy.copy(text).map_err(internal)? {
                append(&mut journal, fields)?;
            }
        }
        if !copy.is_complete() {
            let damaged = "a message of the conversation is damaged in the log";
            return Err(SessionError::Filesystem(damaged.to_owned()));
        }
        let blobs = self.shared.blobs(&self.unfinished.dir);
        self.source.blobs().share(copy.blobs(), &blobs)?;
        self.unfinished.sync()
    }

    fn write_settings(
        &self,
        history: &LaneHistory,
        journal: &mut Journal,
    ) -> Result<(), SessionError> {
        if history.settings == scorel_proto::SessionChanges::default() {
            return Ok(());
        }
        let mut event = PersistentEvent {
            id: EventId::generate(),
            parent_id: None,
            seq: Seq::ZERO,
            session_id: self.header.session_id,
            client_id: self.author,
            ts: now_ms(),
            turn_id: None,
            command_id: None,
            digest: None,
            origin: None,
            body: PersistentBody::SessionInfo(SessionInfoBody {
                changes: history.settings.clone(),
            }),
            prev: None,
        };
        let appended = journal.append(|seq| {
            event.seq = seq;
            serde_json::to_vec(&event)
        });
        appended.map(drop).map_err(SessionError::from)
    }

    /// Makes the directory the session's.
    fn name(&self, dir: &Path) -> Result<(), SessionError> {
        // Its blobs may be gone.
        self.source.session()?;
        self.unfinished.name(dir)
    }
}

fn append(journal: &mut Journal, mut fields: RecordFields) -> Result<(), SessionError> {
    let appended = journal.append(|seq| {
        fields.set("seq", &seq)?;
        serde_json::to_vec(&fields)
    });
    appended.map(drop).map_err(SessionError::from)
}
