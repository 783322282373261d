use scorel_client::{ClientError, Connection};
use scorel_proto::{ErrorCode, GetStatus, Method as _, NoParams, Shutdown, ShutdownParams};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::daemon_end::{DaemonEnd, unless_ending};
use crate::daemon::{LocalDaemon, StartDaemon, no_daemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// The fields read from a daemon's status, whatever version of the protocol it speaks.
#[derive(Debug, Clone, Deserialize, Serialize)]
struct KnownDaemon {
    pid: u32,
    /// `None` if it could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, skip_serializing)]
    active: Vec<BusySession>,
}

impl KnownDaemon {
    /// One of which only the process is known.
    const fn silent(pid: u32) -> Self {
        Self {
            pid,
            version: None,
            active: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
struct BusySession {
    /// Not a `Phase`: another version may have others.
    phase: String,
}

/// Restarts the daemon, or starts it if none is running. There is no handshake with the old one, so that
/// this also replaces a daemon of an incompatible version.
pub(super) async fn run(mut link: LocalDaemon, output: &mut Output) -> Result<(), Failure> {
    let may_begin = link.start != StartDaemon::Never;
    link.start = StartDaemon::Never;
    let previous = unless_ending(async || end(&link, output).await).await?;
    if previous.is_none() && !may_begin {
        let error = link.connect_raw().await.err();
        return Err(error.map_or_else(appeared, |error| no_daemon(link.start, error)));
    }
    link.start = StartDaemon::Always;
    let started = link.connect_raw().await;
    let connection = started.map_err(|error| not_started(&link, error, previous.as_ref()))?;
    let status = connection.call::<GetStatus>(&NoParams {}).await?;
    let (pid, version) = (status.pid, &*status.version);
    let restarted = json!({ "pid": pid, "version": version, "previous": previous });
    output.result(&restarted, |output| {
        output.line(&description(pid, version, previous.as_ref()))
    })
}

/// Ends the running daemon, whose turns are parked, or has the service manager put another in its place.
/// `None` if none is running.
async fn end(link: &LocalDaemon, output: &mut Output) -> Result<Option<KnownDaemon>, Failure> {
    let end = DaemonEnd::parking(link);
    let connection = match link.connect_raw().await {
        Err(ClientError::Unreachable { .. }) => {
            let Some(pid) = end.signal()? else {
                return Ok(None);
            };
            end.wait(pid).await?;
            return Ok(Some(KnownDaemon::silent(pid)));
        }
        connected => connected?,
    };
    let Some(daemon) = end.answer(known(&connection)).await? else {
        return end_silent(&end, link, output).await;
    };
    let runs = |session: &&BusySession| matches!(&*session.phase, "running" | "preparing");
    match daemon.active.iter().filter(runs).count() {
        0 => {}
        1 => output.note("waiting until the running turn is at a step boundary")?,
        n => output.note(&format!(
            "waiting until {n} running turns are at a step boundary"
        ))?,
    }
    if link.starter().is_service(daemon.pid).await {
        drop(connection);
        link.starter().restart_service().await?;
        return Ok(Some(daemon));
    }
    match end.answer(shut_down(&connection, output)).await? {
        Some(()) => end.wait(daemon.pid).await?,
        None => {
            end.force(output).await?;
        }
    }
    Ok(Some(daemon))
}

/// The same for a daemon that does not respond.
async fn end_silent(
    end: &DaemonEnd,
    link: &LocalDaemon,
    output: &mut Output,
) -> Result<Option<KnownDaemon>, Failure> {
    let holder = end.holder()?;
    if let Some(pid) = holder
        && link.starter().is_service(pid).await
    {
        // The service manager has time limits of its own.
        link.starter().restart_service().await?;
        return Ok(Some(KnownDaemon::silent(pid)));
    }
    let pid = end.force(output).await?.or(holder);
    Ok(pid.map(KnownDaemon::silent))
}

/// A daemon was started by another client just now.
fn appeared() -> Failure {
    let message = "a daemon was started at the same time";
    Failure::refused("conflict", message).hint("repeat the command")
}

async fn known(connection: &Connection) -> Result<KnownDaemon, Failure> {
    let status = connection.call_raw(GetStatus::NAME, None).await?;
    serde_json::from_str(status.get()).map_err(|error| {
        let message = format!("the daemon does not say what it is: {error}");
        Failure::new(Exit::Internal, "protocol", message).hint("`scorelctl stop` stops it")
    })
}

/// A daemon from before parking takes no parameters. It ends its turns.
async fn shut_down(connection: &Connection, output: &mut Output) -> Result<(), Failure> {
    let park = ShutdownParams { park: Some(true) };
    match connection.call::<Shutdown>(&park).await {
        Err(ClientError::Rpc(error)) if error.code == ErrorCode::InvalidParams => {
            output
                .note("the running daemon is too old to park its turns: they end as interrupted")?;
            let plain = ShutdownParams::default();
            connection.call::<Shutdown>(&plain).await?;
        }
        answer => {
            answer?;
        }
    }
    Ok(())
}

fn not_started(link: &LocalDaemon, error: ClientError, previous: Option<&KnownDaemon>) -> Failure {
    let failure = no_daemon(link.start, error);
    let Some(previous) = previous else {
        return failure;
    };
    // One that did not respond may have been killed, so its turns are perhaps not parked.
    let turns = if previous.version.is_some() {
        " and its turns wait for ten minutes"
    } else {
        ""
    };
    failure.hint(format!(
        "the old daemon has ended{turns}: repair this, then `scorelctl restart`; `scorelctl doctor` \
         looks for causes"
    ))
}

fn description(pid: u32, version: &str, previous: Option<&KnownDaemon>) -> String {
    let Some(previous) = previous else {
        return format!("no daemon was running; scoreld {version} is started (process {pid})");
    };
    match previous.version.as_deref() {
        Some(old) if old != version => {
            format!("scoreld {version} is started (process {pid}), {old} has ended")
        }
        _ => format!("scoreld {version} is restarted (process {pid})"),
    }
}
