use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, Notice, NoticeSeverity, SessionConfigOption, SessionUpdate,
};
use scorel_client::{ClientAnchors, new_command_id};
use scorel_peer::Closed;
use scorel_proto::{
    CreateSession, CreateSessionParams, GetSession, GetSessionParams, Seq, Session,
};
use tokio::sync::oneshot;

use crate::daemon::{Connector, Daemon};
use crate::editor::Editor;
use crate::failure::Failure;
use crate::v1::follower::Follower;
use crate::v1::session::OpenSession;
use crate::v1::sessions::Sessions;
use crate::v1::{cancel, list, news, options, projects};

/// The part of a session that the editor is shown when it opens it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replay {
    All,
    Nothing,
}

/// A session that was opened just now.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) session: Arc<OpenSession>,
    pub(super) options: Vec<SessionConfigOption>,
}

/// Creates a session in the project of a directory.
pub(super) async fn create<C: Connector>(
    cwd: &Path,
    daemon: &Daemon<C>,
) -> Result<Session, Failure> {
    let directory = projects::directory(cwd)?;
    let project = projects::find_or_register(&directory, daemon).await?;
    let params = CreateSessionParams {
        project_id: project.project_id,
        title: None,
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
        command_id: Some(new_command_id()),
    };
    Ok(daemon.call::<CreateSession>(&params).await?.session)
}

/// Finds a session.
pub(super) async fn find<C: Connector>(
    id: &str,
    cwd: &Path,
    daemon: &Daemon<C>,
) -> Result<Session, Failure> {
    projects::directory(cwd)?;
    let params = GetSessionParams {
        session_id: list::session_id(id)?,
    };
    Ok(daemon.call::<GetSession>(&params).await?.session)
}

/// Opens a session, and returns once the editor was shown what it is to be shown.
pub(super) async fn open<C: Connector>(
    session: &Session,
    replay: Replay,
    sessions: &Arc<Sessions>,
    daemon: &Daemon<C>,
    editor: &Editor,
) -> Result<Opened, Failure> {
    let options = options::of(session, daemon).await?;
    let shown = match replay {
        Replay::All => Seq::ZERO,
        Replay::Nothing => session.last_persistent_seq,
    };
    let anchors = ClientAnchors::new(shown, None);
    let id = session.session_id;
    let stream = daemon.follow(id, anchors).await?;
    let work_dir = work_dir(session, daemon).await?;
    let open = Arc::new(OpenSession::new(id, work_dir));
    sessions.open(&open)?;
    let (loaded, is_loaded) = oneshot::channel();
    let follower = Follower::new(
        Arc::clone(&open),
        stream,
        shown,
        daemon.clone(),
        editor.clone(),
        loaded,
    );
    let (followed, sessions) = (Arc::clone(&open), Arc::clone(sessions));
    tokio::spawn(async move {
        follower.run().await;
        sessions.close(&followed);
    });
    until_end(
        &open,
        cancel::cancel_on_request(Arc::clone(&open), daemon.clone()),
    );
    // Fails if the session is gone, which the next request is told.
    drop(is_loaded.await);
    Ok(Opened {
        session: open,
        options,
    })
}

/// Begins to tell what is no part of the conversation. The editor knows the session by now.
pub(super) fn tell_news<C: Connector>(opened: Opened, daemon: &Daemon<C>, editor: &Editor) {
    let Opened { session, options } = opened;
    let news = news::tell(
        Arc::clone(&session),
        options,
        daemon.clone(),
        editor.clone(),
    );
    until_end(&session, news);
    session.changed.notify_one();
}

/// Tells once that the editor's servers are not used. `as_notice` if the editor shows notices.
pub(super) async fn tell_of_mcp(
    session: &OpenSession,
    as_notice: bool,
    editor: &Editor,
) -> Result<(), Closed> {
    const TITLE: &str = "MCP servers of the editor are not used";
    if session.told_of_mcp.swap(true, Ordering::AcqRel) {
        return Ok(());
    }
    let update = match as_notice {
        true => SessionUpdate::Notice(Notice::new(NoticeSeverity::Info, TITLE)),
        false => {
            let content = ContentBlock::from(format!("({TITLE}.)"));
            SessionUpdate::AgentMessageChunk(ContentChunk::new(content))
        }
    };
    editor.update(session.id, update).await
}

/// Runs a task until the session is closed.
fn until_end(session: &OpenSession, task: impl Future<Output = ()> + Send + 'static) {
    let end = session.end.clone();
    tokio::spawn(async move { end.run_until_cancelled(task).await });
}

/// The directory that a session works in.
async fn work_dir<C: Connector>(session: &Session, daemon: &Daemon<C>) -> Result<PathBuf, Failure> {
    let worktree = session.agent.as_ref().and_then(|it| it.worktree.as_ref());
    if let Some(worktree) = worktree {
        return Ok(PathBuf::from(&worktree.path));
    }
    let mut projects = projects::all(daemon).await?.into_iter();
    let project = projects.find(|project| project.project_id == session.project_id);
    project
        .map(|project| project.work_dir.into())
        .ok_or_else(|| Failure::invalid("the session's project is gone"))
}
