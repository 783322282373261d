use std::path::PathBuf;

use scorel_client::{Caller, ClientAnchors, ClientError, Connect, SessionStream};
use scorel_proto::{
    CommandInfo, CommandKind, GetSession, GetSessionParams, ListCommands, ListCommandsParams,
    ListProjects, ListSkills, ListSkillsParams, NoParams, Session, SessionId, SkillInfo,
};

use super::sticky::StickyConnector;
use super::window::{HistoryWindow, last_turns};

/// The turns that are shown of a conversation that is gone to.
const TURNS: usize = 3;

/// A session that can be shown.
#[derive(Debug)]
pub(crate) struct OpenedSession<C> {
    pub(crate) facts: Box<SessionFacts>,
    pub(crate) stream: SessionStream<StickyConnector<C>>,
}

/// The facts of a session besides its stream.
#[derive(Debug)]
pub(crate) struct SessionFacts {
    pub(crate) session: Session,
    /// Where its work is done, on the daemon's machine.
    pub(crate) work_dir: PathBuf,
    pub(crate) skills: Vec<SkillInfo>,
    /// Those of plugins.
    pub(crate) commands: Vec<CommandInfo>,
    pub(crate) window: HistoryWindow,
}

/// Reads the end of a session's conversation, and follows the session from there.
pub(crate) async fn open<C: Connect + Clone + Send + 'static>(
    connector: C,
    caller: &Caller<C>,
    session_id: SessionId,
) -> Result<OpenedSession<C>, ClientError> {
    let params = GetSessionParams { session_id };
    let session = caller.call::<GetSession>(&params).await?.session;
    let projects = caller.call::<ListProjects>(&NoParams {}).await?.projects;
    let project = projects
        .into_iter()
        .find(|it| it.project_id == session.project_id);
    let work_dir = session
        .worktree()
        .map(|it| it.path.clone())
        .or_else(|| project.map(|it| it.work_dir));
    let params = ListSkillsParams {
        project_id: Some(session.project_id),
    };
    // A project whose directory is gone has no skills, and its conversations can be read.
    let skills = caller.call::<ListSkills>(&params).await;
    let skills = skills.map(|result| result.skills).unwrap_or_default();
    let params = ListCommandsParams {
        session_id: Some(session_id),
        project_id: None,
    };
    let commands = caller.call::<ListCommands>(&params).await;
    let mut commands = commands.map(|it| it.commands).unwrap_or_default();
    commands.retain(|it| it.kind != CommandKind::Skill);
    let last = session.last_persistent_seq;
    let mut window = last_turns(
        caller,
        session_id,
        session.active_leaf_id,
        last.next(),
        TURNS,
    )
    .await?;
    let anchors = ClientAnchors::new(last, None).with_id(window.last);
    let stream = SessionStream::open(StickyConnector::new(connector), session_id, anchors).await?;
    let stream = stream.with_view(std::mem::take(&mut window.view));
    let facts = Box::new(SessionFacts {
        session,
        work_dir: work_dir.unwrap_or_default().into(),
        skills,
        commands,
        window,
    });
    Ok(OpenedSession { facts, stream })
}
