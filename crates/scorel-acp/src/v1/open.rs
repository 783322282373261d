//! `session/new`, `session/load` and `session/resume`.

use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol_schema::v1::SessionConfigOption;
use scorel_client::{ClientAnchors, Connect, new_command_id};
use scorel_proto::{
    CreateSession, CreateSessionParams, GetSession, GetSessionParams, Project, Seq, Session,
    SessionId,
};
use tokio::task::JoinSet;

use super::cancel::cancel_as_wanted;
use super::follower::Follower;
use super::note::note;
use super::open_session::OpenSession;
use super::options::Settings;
use super::path::ActivePath;
use super::projects;
use super::sessions::Sessions;
use crate::daemon::Daemon;
use crate::editor::Editor;
use crate::failure::Failure;

/// The way in which an editor opens a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    New,
    /// With its messages.
    Load,
    /// Without them: the editor has kept them.
    Resume,
}

/// A session that is open, and not followed until the editor knows that it is.
#[derive(Debug)]
pub(crate) struct Opened<C> {
    pub(crate) session: Arc<OpenSession>,
    pub(crate) options: Vec<SessionConfigOption>,
    /// `None` for one that was open already, and is followed.
    follower: Option<Follower<C>>,
}

/// The means of opening a session.
#[derive(Debug)]
pub(crate) struct Opener<'a, C> {
    pub(crate) daemon: &'a Daemon<C>,
    pub(crate) editor: &'a Editor,
    pub(crate) sessions: &'a Sessions,
}

impl<C: Connect + Clone + Send + Sync + 'static> Opener<'_, C> {
    pub(crate) async fn create(&self, cwd: PathBuf) -> Result<Opened<C>, Failure> {
        let project = projects::find_or_register(self.daemon, &cwd).await?;
        let params = CreateSessionParams {
            project_id: project.project_id,
            title: None,
            model: None,
            runner: None,
            thinking_level: None,
            tools: None,
            command_id: Some(new_command_id()),
        };
        let session = self.daemon.call::<CreateSession>(&params).await?.session;
        self.open(Opening::New, &session, &project, cwd).await
    }

    pub(crate) async fn reopen(
        &self,
        opening: Opening,
        session_id: SessionId,
        cwd: PathBuf,
    ) -> Result<Opened<C>, Failure> {
        projects::absolute(&cwd)?;
        let params = GetSessionParams { session_id };
        let session = self.daemon.call::<GetSession>(&params).await?.session;
        let project = projects::find(self.daemon, &cwd).await?;
        let of_session = |project: &Project| project.project_id == session.project_id;
        let Some(project) = project.filter(of_session) else {
            let cwd = cwd.display();
            let message = format!(
                "session {session_id} belongs to another directory than {cwd}: session/list says which"
            );
            return Err(Failure::invalid(message));
        };
        self.open(opening, &session, &project, cwd).await
    }

    async fn open(
        &self,
        opening: Opening,
        session: &Session,
        project: &Project,
        cwd: PathBuf,
    ) -> Result<Opened<C>, Failure> {
        self.sessions.check_room(session.session_id)?;
        let settings = Settings::of(session);
        let options = settings.options(self.daemon, session.project_id).await?;
        let known = self.sessions.find(session.session_id);
        if let Some(session) = &known
            && opening == Opening::Resume
        {
            return Ok(Opened {
                session: Arc::clone(session),
                options,
                follower: None,
            });
        }
        // Its prompts go on: another follower takes them over.
        self.sessions.pause(session.session_id).await;
        let work_dir = PathBuf::from(&project.work_dir);
        let open = known.unwrap_or_else(|| Arc::new(OpenSession::new(session, work_dir, cwd)));
        *open.settings.lock().await = settings;
        let follower = self.follower(opening, session, &open).await;
        let follower = follower.inspect_err(|failure| {
            self.sessions.remove(session.session_id, failure);
        })?;
        Ok(Opened {
            session: open,
            options,
            follower: Some(follower),
        })
    }

    async fn follower(
        &self,
        opening: Opening,
        session: &Session,
        open: &Arc<OpenSession>,
    ) -> Result<Follower<C>, Failure> {
        let (floor, path) = match opening {
            Opening::Load => {
                let path = ActivePath::read(self.daemon, session.session_id).await?;
                (Seq::ZERO, Some(path))
            }
            Opening::New | Opening::Resume => (session.last_persistent_seq, None),
        };
        let anchors = ClientAnchors::new(floor, None);
        let stream = self.daemon.follow(session.session_id, anchors).await?;
        let mut follower = Follower::new(self.daemon, self.editor, open, stream, floor);
        if opening == Opening::Load {
            let first = note(&first_line(session.session_id));
            let told = self.editor.update(session.session_id, first).await;
            told.map_err(|_| super::prompt::left())?;
        }
        follower.catch_up(path).await?;
        Ok(follower)
    }
}

impl<C: Connect + Clone + Send + Sync + 'static> Opened<C> {
    /// Makes it known here, before the editor can name it.
    pub(crate) fn admit(&self, sessions: &Sessions) {
        if self.follower.is_some() {
            sessions.add(Arc::clone(&self.session), JoinSet::new());
        }
    }

    /// Follows it, now that the editor knows it.
    pub(crate) fn follow(self, daemon: &Daemon<C>, sessions: &Arc<Sessions>) {
        let Some(follower) = self.follower else {
            return;
        };
        let mut tasks = JoinSet::new();
        let (all, id) = (Arc::clone(sessions), self.session.id);
        tasks.spawn(async move {
            let failure = follower.run().await;
            // A prompt would wait for ever in a session that is not followed.
            all.remove(id, &failure);
        });
        tasks.spawn(cancel_as_wanted(daemon.clone(), Arc::clone(&self.session)));
        // A cancel may have come already.
        self.session.cancels.notify_one();
        sessions.add(self.session, tasks);
    }
}

pub(crate) fn first_line(session_id: SessionId) -> String {
    format!(
        "Session {session_id}: `scorelctl attach --session {session_id}` opens it in a terminal.\n\n"
    )
}
