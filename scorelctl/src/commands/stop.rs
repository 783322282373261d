use scorel_client::ClientError;
use scorel_proto::{Shutdown, ShutdownParams};
use serde_json::json;

use super::daemon_end::{DaemonEnd, unless_ending};
use crate::daemon::{LocalDaemon, StartDaemon};
use crate::failure::Failure;
use crate::output::Output;

const PARAMS: ShutdownParams = ShutdownParams { park: None };

/// Shuts the daemon down and waits until it has released its lock. There is no handshake, so that
/// this also stops a daemon of an incompatible version. One that does not respond is ended by signals.
pub(super) async fn run(mut link: LocalDaemon, output: &mut Output) -> Result<(), Failure> {
    link.start = StartDaemon::Never;
    let end = DaemonEnd::cancelling(&link);
    let pid = unless_ending(async || shut_down(&end, &link, output).await).await?;
    if let Some(pid) = pid {
        end.wait(pid).await?;
    }
    output.result(&json!({ "pid": pid }), |output| match pid {
        Some(_) => output.line("stopped"),
        None => output.note("no daemon is running"),
    })?;
    Ok(())
}

/// Tells the daemon to end. Returns its process; `None` if none is running.
async fn shut_down(
    end: &DaemonEnd,
    link: &LocalDaemon,
    output: &mut Output,
) -> Result<Option<u32>, Failure> {
    let connection = match link.connect_raw().await {
        Err(ClientError::Unreachable { .. }) => return end.signal(),
        connected => connected?,
    };
    let answer = async { Ok(connection.call::<Shutdown>(&PARAMS).await?) };
    match end.answer(answer).await? {
        Some(answer) => Ok(Some(answer.pid)),
        None => end_silent(end, link, output).await,
    }
}

/// Ends a daemon that does not respond.
async fn end_silent(
    end: &DaemonEnd,
    link: &LocalDaemon,
    output: &mut Output,
) -> Result<Option<u32>, Failure> {
    if let Some(pid) = end.holder()?
        && link.starter().is_service(pid).await
    {
        // The service manager would start a daemon again that was killed by another.
        output.note("the daemon does not respond; the service manager ends it")?;
        link.starter().stop_service().await?;
        return Ok(Some(pid));
    }
    end.force(output).await
}
