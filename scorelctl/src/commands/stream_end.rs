use scorel_client::SessionStream;
use scorel_proto::EndReason;

use crate::daemon::{DaemonConnector, StartDaemon};

/// Goes on after the end of a subscription, or says why nothing can follow.
pub(super) fn stream_end(
    reason: EndReason,
    stream: &mut SessionStream<DaemonConnector>,
) -> Result<(), &'static str> {
    match reason {
        EndReason::Deleted => Err("the session was deleted"),
        EndReason::Failed => Err("the session failed"),
        // The user stopped the daemon: do not start it again to reconnect.
        EndReason::ShuttingDown => {
            stream.connector_mut().start = StartDaemon::Never;
            Ok(())
        }
    }
}
