//! `importSession`: a session with the history of a file.

use std::fs::File;
use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Subject;
use scorel_proto::{
    BlobHash, ClientId, ImportSessionParams, ImportTool, OWN_RUNNER, ProjectId, SessionChanges,
    SessionId, SessionOrigin,
};
use scorel_session::{HistoryWriter, ImportRequest, ImportedHistory, SessionError};
use scorel_tools::Picture;
use scorel_transfer::bundle::{BundleLimits, extract_bundle};
use scorel_transfer::transcript::{Transcript, TranscriptError, TranscriptItem, TranscriptSink};
use scorel_transfer::{ImportContent, ImportError, ImportFile};

use crate::host::Host;
use crate::rpc::call_error::CallError;
use crate::runners::HostRunners;

/// What a bundle may unpack to, in bytes.
const MAX_UNPACKED: u64 = 4 * 1024 * 1024 * 1024;

/// The largest blob in a bundle, in bytes.
const MAX_BLOB: u64 = 64 * 1024 * 1024;

/// The most files in a bundle.
const MAX_ENTRIES: u64 = 100_000;

const BUNDLE: BundleLimits = BundleLimits {
    bytes: MAX_UNPACKED,
    blob: MAX_BLOB,
    entries: MAX_ENTRIES,
};

impl Host {
    /// The subject is the session that the file was imported as before, if the project has one.
    pub(super) async fn import_session(
        &self,
        client_id: ClientId,
        session_id: SessionId,
        params: ImportSessionParams,
    ) -> Result<Subject, CallError> {
        let project_id = params.project_id;
        self.project(project_id)?;
        // Two calls at once must not make two.
        let _importing = self.importing.lock().await;
        let file = spawn_blocking(move || ImportFile::open(&params.path)).await??;
        if let Some(known) = self.sessions.imported(project_id, &file.sha256).await? {
            return Ok(Subject::SessionId(known));
        }
        let request = |tool, id| ImportRequest {
            project_id,
            client_id,
            origin: SessionOrigin {
                tool,
                id,
                sha256: file.sha256,
            },
        };
        match file.content {
            ImportContent::Bundle(bundle) => {
                let request = |id| request(ImportTool::Scorel, id);
                self.import_bundle(session_id, bundle, project_id, request)
                    .await?;
            }
            ImportContent::Transcript(transcript) => {
                let request = request(transcript.tool(), transcript.id().to_owned());
                let write = move |writer: &mut HistoryWriter| take_over(&transcript, writer);
                self.sessions.import_as(session_id, request, write).await?;
            }
        }
        Ok(Subject::SessionId(session_id))
    }

    async fn import_bundle(
        &self,
        session_id: SessionId,
        bundle: File,
        project_id: ProjectId,
        request: impl FnOnce(String) -> ImportRequest,
    ) -> Result<(), CallError> {
        let sessions = Arc::clone(&self.sessions);
        let unpacked = spawn_blocking(move || {
            let dir = sessions.import_dir()?;
            let info = extract_bundle(bundle, dir.path(), BUNDLE).map_err(ImportError::from)?;
            Ok::<_, CallError>((dir, info))
        });
        let (dir, info) = unpacked.await??;
        let source = info.session.session_id;
        let log = self.sessions.read_bundled(dir.path().to_owned()).await?;
        let settings = self.usable(project_id, log.settings()).await?;
        let write = move |writer: &mut HistoryWriter| -> Result<_, CallError> {
            let media_type = |content: &[u8]| Some(Picture::of(content).ok()?.media_type);
            let report = writer.copy(&log, source, settings, media_type)?;
            // Not before: the blobs were linked from there.
            drop(dir);
            Ok(ImportedHistory {
                title: None,
                report,
            })
        };
        let request = request(source.to_string());
        self.sessions.import_as(session_id, request, write).await?;
        Ok(())
    }

    /// The settings without a model and a runner that do not exist here.
    async fn usable(
        &self,
        project_id: ProjectId,
        settings: &SessionChanges,
    ) -> Result<SessionChanges, CallError> {
        let mut settings = settings.clone();
        let dir = self.project_dir(project_id)?;
        let level = settings.thinking_level.unwrap_or_default();
        let accepted = self.models.accept(dir, settings.model.clone(), level);
        if accepted.await.is_err() {
            settings.model = None;
            settings.thinking_level = None;
        }
        let config = self.config.current(None);
        let is_known =
            |name: &String| name == OWN_RUNNER || HostRunners::find(&config, name).is_ok();
        settings.runner = settings.runner.filter(is_known);
        Ok(settings)
    }
}

/// Writes the conversation of a transcript.
fn take_over(
    transcript: &Transcript,
    writer: &mut HistoryWriter,
) -> Result<ImportedHistory, CallError> {
    let model = match transcript.tool() {
        ImportTool::Codex => "codex",
        _ => "claude-code",
    };
    let read = transcript.read(&mut WriterSink { writer, model });
    match read {
        Ok(read) => Ok(ImportedHistory {
            title: read.title,
            report: read.report,
        }),
        Err(TranscriptError::Problem(problem)) => Err(ImportError::from(problem).into()),
        Err(TranscriptError::Refused(error)) => Err(error.into()),
    }
}

struct WriterSink<'a> {
    writer: &'a mut HistoryWriter,
    /// What wrote the summaries.
    model: &'static str,
}

impl TranscriptSink for WriterSink<'_> {
    type Error = SessionError;

    fn item(&mut self, item: TranscriptItem) -> Result<(), SessionError> {
        match item {
            TranscriptItem::User { ts, content } => self.writer.user(ts, content),
            TranscriptItem::Assistant { ts, message } => self.writer.assistant(ts, message),
            TranscriptItem::ToolResult { ts, message } => self.writer.tool_result(ts, message),
            TranscriptItem::Summary { ts, text } => self.writer.summary(ts, text, self.model),
            TranscriptItem::TurnEnd { ts, reason } => self.writer.end_turn(ts, reason),
        }
    }

    fn image(&mut self, content: &[u8]) -> Result<Option<(&'static str, BlobHash)>, SessionError> {
        let Ok(picture) = Picture::of(content) else {
            return Ok(None);
        };
        Ok(Some((picture.media_type, self.writer.blob(content)?)))
    }
}
