use scorel_proto::{
    CreateSession, CreateSessionParams, ListSessions, ListSessionsParams, Project, RunPhase,
    Session, SessionKind, UpdateSession, UpdateSessionParams,
};

use super::SendArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonClient, new_command_id};
use crate::failure::Failure;
use crate::id_part::end_of;
use crate::selector::SessionSelector;
use crate::target;

/// The selected session, and whether it was created for the message.
pub(super) async fn session(
    args: &SendArgs,
    cli: &mut Cli<'_>,
) -> Result<(Session, bool), Failure> {
    let session_id = match &args.session {
        None | Some(SessionSelector::New) => {
            let project = cli.registered(args.project.as_deref()).await?;
            if args.session.is_none()
                && let Some(session) = latest(&project, cli).await?
            {
                return Ok((session, false));
            }
            let params = CreateSessionParams {
                project_id: project.project_id,
                title: None,
                model: args.model.clone(),
                runner: args.runner.clone(),
                thinking_level: None,
                tools: args.tools,
                command_id: Some(new_command_id()),
            };
            let created = cli.call::<CreateSession>(&params).await?;
            return Ok((created.session, true));
        }
        wanted => {
            target::existing(&mut cli.daemon, wanted.as_ref(), args.project.as_deref()).await?
        }
    };
    Ok((cli.session(session_id).await?, false))
}

/// The project's latest session. Says so if an archived one was changed later: the user may have meant that.
async fn latest(project: &Project, cli: &mut Cli<'_>) -> Result<Option<Session>, Failure> {
    let latest = target::latest_of(&mut cli.daemon, project, false).await?;
    let archived = target::latest_of(&mut cli.daemon, project, true).await?;
    let changed = |session: &Option<Session>| session.as_ref().map(|session| session.updated_at);
    if let Some(archived) = &archived
        && changed(&latest) < Some(archived.updated_at)
    {
        let id = end_of(&archived.session_id);
        let taken = match &latest {
            Some(session) => format!("session {}", end_of(&session.session_id)),
            None => "a new session".to_owned(),
        };
        cli.note(&format!(
            "note: session {id} is archived, so the message goes to {taken}; `--session {id}` selects it"
        ))?;
    }
    say_waiting_run(project, latest.as_ref(), cli).await?;
    Ok(latest)
}

/// Says so if a run waits for a person in a session that was changed later: the message may be an answer.
async fn say_waiting_run(
    project: &Project,
    latest: Option<&Session>,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let params = ListSessionsParams {
        project_id: Some(project.project_id),
        archived: Some(false),
        kind: Some(SessionKind::Workflow),
        limit: Some(1),
        ..ListSessionsParams::default()
    };
    let newest = cli.call::<ListSessions>(&params).await?.sessions.pop();
    let changed = latest.map(|session| session.updated_at);
    let waits = |it: &Session| it.run.as_ref().map(|run| run.phase) == Some(RunPhase::WaitingUser);
    if let Some(session) = newest.filter(|it| waits(it) && changed < Some(it.updated_at)) {
        let id = end_of(&session.session_id);
        cli.note(&format!(
            "note: a run waits for an answer in session {id}, where the message does not go; `--session {id}` sends it there"
        ))?;
    }
    Ok(())
}

/// Changes the session's tools if `--tools` asks for others.
pub(super) async fn with_tools(
    args: &SendArgs,
    session: Session,
    control: &mut DaemonClient,
) -> Result<Session, Failure> {
    if args.tools.is_none() || args.tools == session.tools {
        return Ok(session);
    }
    let params = UpdateSessionParams {
        session_id: session.session_id,
        title: None,
        model: None,
        runner: None,
        thinking_level: None,
        tools: args.tools,
        on_restart: None,
        refresh_instructions: None,
        command_id: Some(new_command_id()),
    };
    Ok(control.call::<UpdateSession>(&params).await?.session)
}
