use std::collections::HashMap;
use std::path::PathBuf;

use agent_client_protocol_schema::v1::{
    DeleteSessionRequest, DeleteSessionResponse, ListSessionsRequest, ListSessionsResponse,
    SessionInfo,
};
use jiff::Timestamp;
use scorel_client::new_command_id;
use scorel_proto::{
    DeleteSession, DeleteSessionParams, ErrorCode, ListSessions, ListSessionsParams, ProjectId,
    Session, SessionId, SessionKind,
};

use crate::daemon::{Connector, Daemon};
use crate::failure::Failure;
use crate::v1::projects;
use crate::visible::one_line;

/// The sessions of a page.
const PAGE: u32 = 50;

/// Lists the sessions that people started, of one directory or of all.
pub(super) async fn list<C: Connector>(
    request: ListSessionsRequest,
    daemon: &Daemon<C>,
) -> Result<ListSessionsResponse, Failure> {
    let directory = request
        .cwd
        .as_deref()
        .map(projects::directory)
        .transpose()?;
    let projects = projects::all(daemon).await?;
    let directories: HashMap<ProjectId, PathBuf> = projects
        .into_iter()
        .map(|project| (project.project_id, PathBuf::from(project.work_dir)))
        .collect();
    let project_id = match directory {
        None => None,
        Some(directory) => {
            let project = directories.iter().find(|(_, known)| **known == directory);
            let Some((id, _)) = project else {
                return Ok(ListSessionsResponse::new(Vec::new()));
            };
            Some(*id)
        }
    };
    let params = ListSessionsParams {
        project_id,
        kind: Some(SessionKind::User),
        archived: Some(false),
        deleted: None,
        limit: Some(PAGE),
        cursor: request.cursor,
    };
    let page = daemon.call::<ListSessions>(&params).await?;
    let sessions = page.sessions.iter();
    let sessions = sessions
        .filter_map(|session| Some(info(session, directories.get(&session.project_id)?)))
        .collect();
    Ok(ListSessionsResponse::new(sessions).next_cursor(page.next_cursor))
}

fn info(session: &Session, work_dir: &PathBuf) -> SessionInfo {
    SessionInfo::new(session.session_id.to_string(), work_dir)
        .title(session.title.as_deref().map(one_line))
        .updated_at(moment(session.updated_at))
}

/// A time in milliseconds since 1970, as text.
pub(super) fn moment(ms: u64) -> Option<String> {
    let ms = i64::try_from(ms).ok()?;
    Some(Timestamp::from_millisecond(ms).ok()?.to_string())
}

/// Moves a session to the trash.
pub(super) async fn delete<C: Connector>(
    request: &DeleteSessionRequest,
    daemon: &Daemon<C>,
) -> Result<DeleteSessionResponse, Failure> {
    let params = DeleteSessionParams {
        session_id: session_id(&request.session_id.0)?,
        children: None,
        now: None,
        command_id: Some(new_command_id()),
    };
    daemon.call::<DeleteSession>(&params).await?;
    Ok(DeleteSessionResponse::new())
}

/// Reads a session's id.
pub(super) fn session_id(text: &str) -> Result<SessionId, Failure> {
    text.parse().map_err(|_| {
        let message = format!("there is no session `{}`", one_line(text));
        Failure::new(ErrorCode::SessionNotFound, message)
    })
}
