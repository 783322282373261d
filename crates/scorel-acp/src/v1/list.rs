//! `session/list` and `session/delete`.

use std::collections::HashMap;

use agent_client_protocol_schema::v1::{ListSessionsRequest, ListSessionsResponse, SessionInfo};
use jiff::Timestamp;
use scorel_client::{Connect, new_command_id};
use scorel_proto::{
    DeleteSession, DeleteSessionParams, ListSessions, ListSessionsParams, SessionId, SessionKind,
};

use super::projects;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::visible::one_line;

/// Of a page.
const PAGE: u32 = 50;

pub(crate) async fn list<C: Connect + Clone>(
    daemon: &Daemon<C>,
    request: ListSessionsRequest,
) -> Result<ListSessionsResponse, Failure> {
    let project = match &request.cwd {
        Some(cwd) => match projects::find(daemon, cwd).await? {
            Some(project) => Some(project.project_id),
            None => return Ok(ListSessionsResponse::new(Vec::new())),
        },
        None => None,
    };
    let params = ListSessionsParams {
        project_id: project,
        kind: Some(SessionKind::User),
        archived: None,
        deleted: None,
        limit: Some(PAGE),
        cursor: request.cursor,
    };
    let page = daemon.call::<ListSessions>(&params).await?;
    let projects = projects::all(daemon).await?.into_iter();
    let dirs: HashMap<_, _> = projects.map(|it| (it.project_id, it.work_dir)).collect();
    let sessions = page.sessions.into_iter().filter_map(|session| {
        let cwd = dirs.get(&session.project_id)?;
        let title = session.title.as_deref().map(one_line);
        let info = SessionInfo::new(session.session_id.to_string(), cwd);
        Some(info.title(title).updated_at(time(session.updated_at)))
    });
    Ok(ListSessionsResponse::new(sessions.collect()).next_cursor(page.next_cursor))
}

/// Moves a session to the trash.
pub(crate) async fn delete<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session_id: SessionId,
) -> Result<(), Failure> {
    let params = DeleteSessionParams {
        session_id,
        children: None,
        now: None,
        command_id: Some(new_command_id()),
    };
    daemon.call::<DeleteSession>(&params).await?;
    Ok(())
}

fn time(ms: u64) -> Option<String> {
    let time = Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
    Some(time.to_string())
}
