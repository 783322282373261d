use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{FORMAT, read_bounded, replace_file};
use scorel_proto::{
    ClientId, ImportReport, ProjectId, Session, SessionChanges, SessionId, SessionKind,
    SessionOrigin,
};

use super::Sessions;
use super::unfinished::{UnfinishedSession, internal, stalled};
use crate::bundled_log::BundledLog;
use crate::clock::now_ms;
use crate::header::HeaderType;
use crate::history_writer::HistoryWriter;
use crate::shared::LaneShared;
use crate::{SessionError, SessionHeader, blocking};

/// The file of a session with the report of its import.
const REPORT: &str = "import.json";

/// How large that file may be, in bytes.
const MAX_REPORT: u64 = 1024 * 1024;

/// A session to be made with a history that comes from a file.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    pub project_id: ProjectId,
    pub client_id: ClientId,
    pub origin: SessionOrigin,
}

/// What an import wrote besides the messages.
#[derive(Debug, Clone)]
pub struct ImportedHistory {
    pub title: Option<String>,
    pub report: ImportReport,
}

impl Sessions {
    /// The session of a project that the file with this hash was imported as.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn imported(
        &self,
        project_id: ProjectId,
        sha256: &str,
    ) -> Result<Option<SessionId>, SessionError> {
        Ok(self.shared.catalog().await?.imported(project_id, sha256))
    }

    /// Creates the session `id` with a history that `write` writes, durably: all of it or nothing. A
    /// session with this id is an import that a crash kept from being acknowledged.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; what `write` fails with.
    pub async fn import_as<E: From<SessionError> + Send + 'static>(
        self: &Arc<Self>,
        id: SessionId,
        request: ImportRequest,
        write: impl FnOnce(&mut HistoryWriter) -> Result<ImportedHistory, E> + Send + 'static,
    ) -> Result<Session, E> {
        if self.shared.is_draining() {
            return Err(SessionError::ShuttingDown.into());
        }
        if matches!(self.get(id).await, Err(SessionError::NotFound(_))) {
            let shared = Arc::clone(&self.shared);
            let header = self.import_header(id, request.project_id, request.origin.clone());
            let author = request.client_id;
            let written = blocking(move || {
                let unfinished = UnfinishedSession::new(&shared);
                let written = write_history(&shared, &unfinished, &header, author, write)
                    .and_then(|()| Ok(unfinished.name(&shared.session_dir(id))?));
                if written.is_err() {
                    unfinished.remove();
                }
                written
            });
            written.await??;
        }
        let made = self.make(id, move |sessions, _| async move { sessions.get(id).await });
        Ok(made.await?)
    }

    /// Reads the records of a bundle that was unpacked into `dir`.
    ///
    /// # Errors
    ///
    /// If they are no records.
    pub async fn read_bundled(&self, dir: PathBuf) -> Result<BundledLog, SessionError> {
        let shared = Arc::clone(&self.shared);
        blocking(move || BundledLog::read(&shared, dir)).await?
    }

    /// What the import of a session took over; empty for one that was not imported.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub async fn import_report(&self, id: SessionId) -> Result<ImportReport, SessionError> {
        let shared = Arc::clone(&self.shared);
        blocking(move || {
            let path = shared.session_dir(id).join(REPORT);
            let read = match read_bounded(&*shared.storage, &path, MAX_REPORT) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Ok(ImportReport::default());
                }
                read => read,
            };
            let parsed = read.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
            parsed.map_err(|error| SessionError::Filesystem(format!("{}: {error}", path.display())))
        })
        .await?
    }

    /// A directory for files of an import, which is removed with its owner; the next daemon removes what a
    /// crash leaves.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn import_dir(&self) -> Result<ImportDir, SessionError> {
        let dir = UnfinishedSession::new(&self.shared).dir;
        let storage = &self.shared.storage;
        let made = storage
            .create_dir(&self.shared.cloning_dir())
            .and_then(|()| storage.create_dir(&dir));
        made.map_err(|error| stalled(&error))?;
        Ok(ImportDir(dir))
    }

    fn import_header(
        &self,
        session_id: SessionId,
        project_id: ProjectId,
        origin: SessionOrigin,
    ) -> SessionHeader {
        SessionHeader {
            type_name: HeaderType::Session,
            format: FORMAT,
            session_id,
            project_id,
            device_id: self.device_id,
            kind: SessionKind::User,
            parent: None,
            agent: None,
            origin: Some(origin),
            created_at: now_ms(),
            version: self.version.clone(),
        }
    }
}

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub struct ImportDir(PathBuf);

impl ImportDir {
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ImportDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn write_history<E: From<SessionError>>(
    shared: &LaneShared,
    unfinished: &UnfinishedSession,
    header: &SessionHeader,
    author: ClientId,
    write: impl FnOnce(&mut HistoryWriter) -> Result<ImportedHistory, E>,
) -> Result<(), E> {
    let journal = unfinished.create_log(header)?;
    let blobs = shared.blobs(&unfinished.dir);
    let mut writer = HistoryWriter::new(journal, blobs, header.session_id, author);
    let ImportedHistory { title, report } = write(&mut writer)?;
    let changes = SessionChanges {
        title,
        ..SessionChanges::default()
    };
    writer.settings(changes)?;
    drop(writer);
    let report = serde_json::to_vec(&report).map_err(internal)?;
    let kept = replace_file(&*shared.storage, &unfinished.dir.join(REPORT), &report);
    kept.map_err(|error| stalled(&error))?;
    Ok(unfinished.sync()?)
}
