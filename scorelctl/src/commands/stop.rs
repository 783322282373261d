use scorel_client::ClientError;
use scorel_proto::{Shutdown, ShutdownParams, ShutdownResult};

use super::daemon_end::DaemonEnd;
use crate::daemon::{DaemonConnector, StartDaemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

const PARAMS: ShutdownParams = ShutdownParams { park: None };

/// Shuts the daemon down and waits until it has released its lock. There is no handshake, so that
/// this also stops a daemon of an incompatible version. One that does not respond is ended by signals.
pub(super) async fn run(mut link: DaemonConnector, output: &mut Output) -> Result<Exit, Failure> {
    link.start = StartDaemon::Never;
    let end = DaemonEnd::cancelling(&link);
    let connection = match link.connect_raw().await {
        Err(ClientError::Unreachable { .. }) => None,
        connected => Some(connected?),
    };
    let ended = match &connection {
        None => end.signal()?,
        Some(connection) => {
            let shut_down = async { Ok(connection.call::<Shutdown>(&PARAMS).await?) };
            match end.answer(shut_down).await? {
                Some(answer) => Some(answer),
                None => end_silent(&end, &link, output).await?,
            }
        }
    };
    let Some(answer) = ended else {
        output.note("no daemon is running")?;
        return Ok(Exit::Success);
    };
    end.wait(answer.pid).await?;
    result(output, &answer, |output| output.line("stopped"))?;
    Ok(Exit::Success)
}

/// Ends a daemon that does not respond.
async fn end_silent(
    end: &DaemonEnd,
    link: &DaemonConnector,
    output: &mut Output,
) -> Result<Option<ShutdownResult>, Failure> {
    if let Some(pid) = end.holder()?
        && link.starter().is_service(pid).await
    {
        // The service manager would start a daemon again that was killed by another.
        output.note("the daemon does not respond; the service manager ends it")?;
        link.starter().stop_service().await?;
        return Ok(Some(ShutdownResult { pid }));
    }
    end.force(output).await
}
