use clap::Args;
use scorel_proto::{ArchiveSession, ArchiveSessionParams, SessionId};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonClient, new_command_id};
use crate::failure::Failure;
use crate::target;

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Take it out of the archive [default session: the project's latest that is archived]
    #[arg(long)]
    pub(crate) undo: bool,
}

pub(super) async fn run(args: &ArchiveArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = chosen(args, &mut cli.daemon).await?;
    let params = ArchiveSessionParams {
        session_id,
        archived: Some(!args.undo),
        command_id: Some(new_command_id()),
    };
    if args.undo {
        let text = format!("{session_id} is no longer archived");
        cli.tell::<ArchiveSession>(&params, |_| text).await?;
    } else {
        let text = format!("archived {session_id}");
        cli.tell::<ArchiveSession>(&params, |_| text).await?;
        cli.note(&format!(
            "`scorelctl archive --undo --session {session_id}` takes it out again"
        ))?;
    }
    Ok(())
}

/// Without a session, the archive gives back the one that was put there last.
async fn chosen(args: &ArchiveArgs, control: &mut DaemonClient) -> Result<SessionId, Failure> {
    let TargetArgs { session, project } = &args.target;
    if !args.undo || session.is_some() {
        return target::existing(control, session.as_ref(), project.as_deref()).await;
    }
    let directory = target::project_directory(control.link(), project.as_deref())?;
    let archived = match target::project(control, &directory).await? {
        Some(project) => target::latest_of(control, &project, true).await?,
        None => None,
    };
    archived.map(|session| session.session_id).ok_or_else(|| {
        let message = format!("no session of {} is archived", directory.display());
        Failure::refused("session_not_found", message)
            .hint("`scorelctl sessions --archived --all` lists those of all projects")
    })
}
