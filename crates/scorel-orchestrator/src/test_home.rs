//! Sessions on a real disk whose turns never begin.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use scorel_engine::Provider;
use scorel_files::FileRecorder;
use scorel_journal::{Blobs, EVENTS, FileStorage};
use scorel_proto::{ClientId, DeviceId, ProjectId, SessionId, SessionKind, TurnError};
use scorel_session::{
    Lane, NewSession, PreparedTurn, SessionHeader, SessionResources, SessionSettings, Sessions,
    TitleAnswer, TitleRequest, TurnRequest, TurnSetup,
};
use tempfile::TempDir;

use crate::feature::AgentTaskFeature;

#[derive(Debug)]
struct NoTurns;

impl TurnSetup for NoTurns {
    fn resources(self: Arc<Self>, _: &SessionHeader) -> Arc<dyn SessionResources> {
        self
    }

    fn summary_model(&self, _: ProjectId, _: &str, _: Blobs) -> Option<Arc<dyn Provider>> {
        None
    }

    fn title(&self, _: TitleRequest) -> BoxFuture<'static, Option<TitleAnswer>> {
        Box::pin(std::future::ready(None))
    }

    fn allow_always(&self, _: ProjectId, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

impl SessionResources for NoTurns {
    fn prepare(
        self: Arc<Self>,
        _: TurnRequest,
    ) -> BoxFuture<'static, Result<PreparedTurn, TurnError>> {
        unreachable!("no turn begins")
    }

    fn leaf_moved(&self) {}

    fn files(&self) -> io::Result<Arc<FileRecorder>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn end(&self) {}
}

/// The sessions of one home. They record tasks, and no orchestrator takes their next steps.
pub(crate) struct TestHome {
    dir: TempDir,
    pub(crate) sessions: Arc<Sessions>,
}

impl TestHome {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(dir.path().join("sessions")).expect("writable");
        Self::on(dir)
    }

    fn on(dir: TempDir) -> Self {
        let sessions = Sessions::new(
            dir.path().join("sessions"),
            (dir.path().join("index"), dir.path().join("active")),
            (DeviceId::generate(), "0.0.0".to_owned()),
            Arc::new(FileStorage),
            SessionSettings::default(),
            Arc::new(NoTurns),
            vec![Arc::new(AgentTaskFeature::new(Weak::new()))],
        );
        Self { dir, sessions }
    }

    /// A daemon on a copy of the home as it is now: what a crash would leave.
    pub(crate) fn crashed(&self) -> Self {
        let copied = tempfile::tempdir().expect("a directory");
        copy(self.dir.path(), copied.path());
        Self::on(copied)
    }

    pub(crate) async fn session(&self) -> SessionId {
        let new = NewSession {
            project_id: ProjectId::generate(),
            kind: SessionKind::User,
            parent: None,
            client_id: ClientId::Daemon,
            title: None,
            agent: None,
            run: None,
            worktree: None,
            model: None,
            runner: None,
            thinking_level: None,
            tools: None,
        };
        self.sessions.create(new).await.expect("created").session_id
    }

    pub(crate) async fn lane(&self, id: SessionId) -> Arc<Lane> {
        self.sessions.get(id).await.expect("loaded")
    }

    /// The number of records of a type in the log of a session.
    pub(crate) fn count(&self, id: SessionId, kind: &str) -> usize {
        let dir = self.dir.path().join("sessions").join(id.to_string());
        let log = fs::read_to_string(dir.join(EVENTS)).expect("a log");
        let type_name = format!("\"type\":\"{kind}\"");
        log.lines().filter(|line| line.contains(&type_name)).count()
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("known").is_dir() {
            fs::create_dir(&target).expect("writable");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("copied");
        }
    }
}
