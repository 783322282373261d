//! Projects and their sessions.

use schemars::JsonSchema;
use scorel_client::{Connect, new_command_id};
use scorel_proto::{
    CommandId, CreateSession, CreateSessionParams, ListProjects, ListSessions, ListSessionsParams,
    NoParams, ProjectId, Session,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::outcome::{Outcome, beginning_of, size};

pub(super) const LIST_PROJECTS: &str =
    "Lists the projects: directories in which sessions work. People register them.";

pub(super) const LIST: &str = "Lists sessions, the most recently changed first, in pages.";

pub(super) const CREATE: &str = "Creates a session in a project. Nothing runs before send_message.";

/// Sessions of a page at most.
const PAGE: u32 = 30;

/// Of a title, in bytes of the result.
const MAX_TITLE: usize = 512;

/// Of a list, in bytes of the result.
const MAX_LIST: usize = 60 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListArguments {
    /// Only sessions of this project.
    project_id: Option<ProjectId>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CreateArguments {
    /// The project, from list_projects.
    project_id: ProjectId,
    /// A title: one line. Absent: the first message serves as title.
    title: Option<String>,
    /// A model, by the configuration of the daemon. Absent: the configured one.
    model: Option<String>,
    /// The name of the runner that runs its turns, such as `codex`. Absent: the daemon itself.
    runner: Option<String>,
    /// Names the call. Repeated with the same one, it returns the session that it has made.
    command_id: Option<CommandId>,
}

pub(super) async fn list_projects<C: Connect + Clone>(
    daemon: &Daemon<C>,
    NoArguments {}: NoArguments,
) -> Outcome {
    let listed = daemon.call::<ListProjects>(&NoParams {}).await?;
    let all = listed.projects.len();
    let mut left = MAX_LIST;
    let projects: Vec<Value> = listed
        .projects
        .into_iter()
        .map(|it| {
            json!({"projectId": it.project_id, "name": it.display_name, "directory": it.work_dir})
        })
        .take_while(|it| take(&mut left, it))
        .collect();
    let left_out = all - projects.len();
    Ok(json!({"projects": projects, "leftOut": left_out}).into())
}

fn take(left: &mut usize, value: &Value) -> bool {
    let fits = left.checked_sub(size(value));
    *left = fits.unwrap_or_default();
    fits.is_some()
}

pub(super) async fn list<C: Connect + Clone>(
    daemon: &Daemon<C>,
    ListArguments { project_id, cursor }: ListArguments,
) -> Outcome {
    let params = ListSessionsParams {
        project_id,
        limit: Some(PAGE),
        cursor,
        ..ListSessionsParams::default()
    };
    let page = daemon.call::<ListSessions>(&params).await?;
    let sessions: Vec<Value> = page.sessions.iter().map(described).collect();
    Ok(json!({"sessions": sessions, "nextCursor": page.next_cursor}).into())
}

pub(super) async fn create<C: Connect + Clone>(
    daemon: &Daemon<C>,
    arguments: CreateArguments,
) -> Outcome {
    let command_id = arguments.command_id.unwrap_or_else(new_command_id);
    let params = CreateSessionParams {
        project_id: arguments.project_id,
        title: arguments.title,
        model: arguments.model,
        runner: arguments.runner,
        thinking_level: None,
        tools: None,
        command_id: Some(command_id.clone()),
    };
    let made = daemon.call::<CreateSession>(&params).await;
    let made = made.map_err(|failure| with_command(failure, &command_id))?;
    Ok(json!({"sessionId": made.session_id, "commandId": command_id}).into())
}

/// A failure whose command may have taken effect, with what makes a repetition safe.
pub(super) fn with_command(failure: Failure, command_id: &CommandId) -> Failure {
    match failure.code.as_str() {
        "unreachable" => {
            let help = format!("call again with commandId {command_id}: it takes effect once");
            failure.help(help)
        }
        _ => failure,
    }
}

fn described(session: &Session) -> Value {
    let title = session.title.as_ref();
    let title = title.map(|title| beginning_of(title, MAX_TITLE));
    json!({
        "sessionId": session.session_id,
        "projectId": session.project_id,
        "title": title,
        "phase": session.phase,
        "turnId": session.turn_id,
        "runner": session.runner,
        "updatedAt": session.updated_at,
    })
}
