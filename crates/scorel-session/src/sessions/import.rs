use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_journal::{Storage, if_present};
use scorel_proto::{
    ClientId, ImportReport, ProjectId, Session, SessionChanges, SessionId, SessionOrigin,
};

use super::Sessions;
use super::unfinished::{UnfinishedSession, stalled};
use crate::bundled_log::BundledLog;
use crate::history_writer::HistoryWriter;
use crate::json_file::{read_json, replace_json};
use crate::{SessionError, SessionHeader};

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
        Ok(self
            .shared
            .read_catalog()
            .await?
            .imported(project_id, sha256))
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
            let header = SessionHeader {
                origin: Some(request.origin),
                ..self.new_header(id, request.project_id)
            };
            let author = request.client_id;
            self.on_disk(move |shared| {
                UnfinishedSession::new(shared).make(id, |unfinished| {
                    write_history(&*shared.storage, unfinished, &header, author, write)
                })
            })
            .await??;
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
        self.on_disk(move |shared| BundledLog::read(shared, dir))
            .await?
    }

    /// What the import of a session took over; empty for one that was not imported.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub async fn import_report(&self, id: SessionId) -> Result<ImportReport, SessionError> {
        self.on_disk(move |shared| {
            let path = shared.session_dir(id).join(REPORT);
            let report = if_present(read_json(&*shared.storage, &path, MAX_REPORT));
            report
                .map(Option::unwrap_or_default)
                .map_err(|error| SessionError::Filesystem(format!("{}: {error}", path.display())))
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
}

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub struct ImportDir(PathBuf);

impl ImportDir {
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
    storage: &dyn Storage,
    unfinished: &UnfinishedSession,
    header: &SessionHeader,
    author: ClientId,
    write: impl FnOnce(&mut HistoryWriter) -> Result<ImportedHistory, E>,
) -> Result<(), E> {
    let mut writer = unfinished.create_log(header, author)?;
    let ImportedHistory { title, report } = write(&mut writer)?;
    let changes = SessionChanges {
        title,
        ..SessionChanges::default()
    };
    writer.settings(changes)?;
    drop(writer);
    let kept = replace_json(storage, &unfinished.dir.join(REPORT), &report);
    kept.map_err(|error| stalled(&error))?;
    Ok(unfinished.sync()?)
}
