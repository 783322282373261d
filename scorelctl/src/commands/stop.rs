use scorel_client::ClientError;
use scorel_proto::{Shutdown, ShutdownParams};

use super::daemon_end::DaemonEnd;
use crate::daemon::{DaemonConnector, StartDaemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

/// Shuts the daemon down and waits until it has released its lock. There is no handshake, so that
/// this also stops a daemon of an incompatible version.
pub(super) async fn run(mut link: DaemonConnector, output: &mut Output) -> Result<Exit, Failure> {
    link.start = StartDaemon::Never;
    let end = DaemonEnd::cancelling(&link);
    let answer = match link.connect_raw().await {
        Err(ClientError::Unreachable { .. }) => {
            let Some(answer) = end.signal()? else {
                output.note("no daemon is running")?;
                return Ok(Exit::Success);
            };
            answer
        }
        connected => {
            let connection = connected?;
            let params = ShutdownParams::default();
            let answer = connection.call::<Shutdown>(&params).await?;
            connection.closed().await;
            answer
        }
    };
    end.wait(answer.pid).await?;
    result(output, &answer, |output| output.line("stopped"))?;
    Ok(Exit::Success)
}
