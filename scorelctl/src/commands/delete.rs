//! Deletes sessions, and brings them back.

use clap::Args;
use scorel_proto::{
    DeleteChildren, DeleteSession, DeleteSessionParams, ListSessionsParams, SessionId,
    UndeleteSession, UndeleteSessionParams,
};

use super::confirm::confirm;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonClient, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::selector::SessionSelector;
use crate::target;
use scorel_screen::escape::{one_line, visible};

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Delete for good, also from the trash [default: move to the trash, from which `undelete` brings
    /// it back]
    #[arg(long)]
    pub(crate) now: bool,
    /// Stop the tasks that the session has given to agents, and delete their sessions with it
    #[arg(long)]
    pub(crate) children: bool,
}

pub(super) async fn run(args: &DeleteArgs, cli: &mut Cli<'_>) -> Result<Exit, Failure> {
    let session_id = chosen(args, &mut cli.daemon).await?;
    if !args.yes {
        let question = question(args, session_id, &mut cli.daemon).await?;
        if !confirm(&question, cli.output).await? {
            return Ok(Exit::Interrupted);
        }
    }
    let params = DeleteSessionParams {
        session_id,
        children: args.children.then_some(DeleteChildren::Delete),
        now: args.now.then_some(true),
        command_id: Some(new_command_id()),
    };
    cli.tell::<DeleteSession>(&params, |_| format!("deleted {session_id}"))
        .await?;
    if !args.now {
        cli.note(&format!(
            "`scorelctl undelete --session {session_id}` brings it back"
        ))?;
    }
    Ok(Exit::Success)
}

pub(super) async fn undelete(args: &TargetArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = in_trash(args, &mut cli.daemon).await?;
    let params = UndeleteSessionParams {
        session_id,
        command_id: Some(new_command_id()),
    };
    cli.tell::<UndeleteSession>(&params, |answer| answer.session_id.to_string())
        .await
}

/// With `--now` a session in the trash is one to choose, too.
async fn chosen(args: &DeleteArgs, control: &mut DaemonClient) -> Result<SessionId, Failure> {
    let TargetArgs { session, project } = &args.target;
    match session {
        Some(SessionSelector::Part(part)) if args.now => {
            let mut ids = target::all_ids(control).await?;
            ids.extend(deleted_ids(ListSessionsParams::default(), control).await?);
            target::choose(part, &ids)
        }
        session => target::existing(control, session.as_ref(), project.as_deref()).await,
    }
}

async fn question(
    args: &DeleteArgs,
    session_id: SessionId,
    control: &mut DaemonClient,
) -> Result<String, Failure> {
    // `None` if it is deleted already, or damaged.
    let session = target::get(control, session_id).await.ok();
    let title = session.and_then(|session| session.title);
    let title = title.map_or_else(String::new, |title| format!(" ({})", one_line(&title)));
    let end = if args.now { " for good" } else { "" };
    Ok(format!("Delete {session_id}{}{end}?", visible(&title)))
}

async fn in_trash(args: &TargetArgs, control: &mut DaemonClient) -> Result<SessionId, Failure> {
    match &args.session {
        Some(SessionSelector::Part(part)) => {
            let ids = deleted_ids(ListSessionsParams::default(), control).await?;
            target::choose(part, &ids)
        }
        None => {
            let directory = target::project_directory(control.link(), args.project.as_deref())?;
            let none = || {
                let message = format!("no session of {} is in the trash", directory.display());
                Failure::refused("session_not_found", message)
                    .hint("`scorelctl sessions --deleted --all` lists those of all projects")
            };
            let project = target::project(control, &directory).await?;
            let params = ListSessionsParams {
                project_id: Some(project.ok_or_else(none)?.project_id),
                ..ListSessionsParams::default()
            };
            let ids = deleted_ids(params, control).await?;
            ids.first().copied().ok_or_else(none)
        }
        id_or_new => target::existing(control, id_or_new.as_ref(), None).await,
    }
}

/// The sessions in the trash, the last deleted first.
async fn deleted_ids(
    params: ListSessionsParams,
    control: &mut DaemonClient,
) -> Result<Vec<SessionId>, Failure> {
    let params = ListSessionsParams {
        deleted: Some(true),
        ..params
    };
    target::ids(control, params).await
}
