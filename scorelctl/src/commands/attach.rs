//! The interactive client.

use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal, stdin, stdout};
use std::time::Duration;

use clap::Args;
use scorel_attach::{AttachError, AttachOptions};
use scorel_client::{Caller, ClientIdentity};
use scorel_proto::{CreateSession, CreateSessionParams, GetStatus, NoParams, SessionId};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonConnector, LocalDaemon, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::unless_ended;
use crate::output::Output;
use crate::selector::SessionSelector;
use crate::target;

#[derive(Debug, Default, Args)]
pub(crate) struct AttachArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Lines only, without a live screen: for screen readers and pipes [also: SCOREL_PLAIN=1]
    #[arg(long)]
    pub(crate) plain: bool,
}

/// Returns whether there is a terminal to attach at.
pub(super) fn has_terminal() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Attaches to the daemon of `link`. `local` has the client's own home, also where the daemon is elsewhere.
pub(super) async fn run(
    args: AttachArgs,
    local: LocalDaemon,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if output.json {
        return Err(
            Failure::usage("`attach` is for people and prints no JSON").hint(
                "`scorelctl send --json` and `scorelctl tail --json` print events for programs",
            ),
        );
    }
    let program = program(&local, &link);
    let is_local = link.local().is_some();
    // A daemon that was stopped must not be started again because somewhere a window is open.
    let connector = link.clone().never_starting();
    let preparing = async {
        let mut cli = Cli::connect(link, output).await?;
        let session = session(&args.target, &mut cli).await?;
        let notes = notes(&mut cli).await?;
        let caller = Caller::connect(connector.clone(), Duration::MAX).await?;
        Ok((session, notes, caller))
    };
    let (session, notes, caller) = match is_local {
        true => preparing.await?,
        // Later on the client handles the signals itself.
        false => unless_ended(preparing).await?,
    };
    // By now the home directory is there.
    let client_id = ClientIdentity::load_or_create(local.home()).ok();
    let options = AttachOptions {
        session,
        home: local.home().path().to_owned(),
        client_id: client_id.map(|identity| identity.client_id()),
        is_local,
        is_plain: args.plain,
        program,
        notes,
        connector,
        caller,
    };
    let said = Box::pin(scorel_attach::attach(options)).await;
    if let Some(text) = said.map_err(failure)? {
        output.note(&text)?;
    }
    Ok(Exit::Success)
}

/// The project's latest session, or a new one; the project is registered if it is new. `None` where no project is meant,
/// as on another machine.
async fn session(target: &TargetArgs, cli: &mut Cli<'_>) -> Result<Option<SessionId>, Failure> {
    match &target.session {
        None if !cli.has_project(target.project.as_deref()) => Ok(None),
        None | Some(SessionSelector::New) => {
            let project = cli.registered(target.project.as_deref()).await?;
            if target.session.is_none()
                && let Some(latest) = target::latest_of(&mut cli.daemon, &project, false).await?
            {
                return Ok(Some(latest.session_id));
            }
            let params = CreateSessionParams {
                project_id: project.project_id,
                title: None,
                model: None,
                runner: None,
                thinking_level: None,
                tools: None,
                command_id: Some(new_command_id()),
            };
            Ok(Some(cli.call::<CreateSession>(&params).await?.session_id))
        }
        wanted => {
            let project = target.project.as_deref();
            target::existing(&mut cli.daemon, wanted.as_ref(), project)
                .await
                .map(Some)
        }
    }
}

/// The notes for a newcomer.
async fn notes(cli: &mut Cli<'_>) -> Result<Vec<String>, Failure> {
    let status = cli.call::<GetStatus>(&NoParams {}).await?;
    let mut notes = Vec::new();
    if status.default_model.starts_with("demo") {
        notes.push(
            "No model is set up, so `demo` answers, which is not a language model: leave with Ctrl+D and run \
             `scorelctl init`."
                .to_owned(),
        );
    }
    if let Some(problem) = status.config_problem {
        notes.push(format!(
            "The configuration from before is in use, since this is invalid: {problem}"
        ));
    }
    Ok(notes)
}

/// The words that run this program for the same daemon.
fn program(local: &LocalDaemon, link: &DaemonConnector) -> Vec<OsString> {
    let own = env::current_exe().map_or_else(|_| "scorelctl".into(), OsString::from);
    let mut words = vec![own, "--home".into(), local.home().path().into()];
    if let Some(remote) = link.remote() {
        words.extend(["--remote".into(), remote.name().into()]);
    }
    words
}

fn failure(error: AttachError) -> Failure {
    match error {
        AttachError::Terminal(error) => Failure::from(error),
        AttachError::Settings(error) => Failure::usage(error.to_string())
            .hint("`scorelctl config check` lists all that is wrong"),
        error @ AttachError::NoStateDir => Failure::usage(error.to_string()),
    }
}
