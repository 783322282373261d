use scorel_client::Caller;

use crate::daemon::{DaemonConnector, PATIENCE, no_daemon};
use crate::failure::Failure;

/// Serves an editor until it closes standard input. Turns that run then go on.
pub(super) async fn run(link: DaemonConnector) -> Result<(), Failure> {
    let connection = link.connect_identified().await;
    let connection = connection.map_err(|error| no_daemon(link.start, error))?;
    let caller = Caller::new(link.clone(), connection, PATIENCE);
    let is_local = link.local().is_some();
    Ok(scorel_acp::serve_stdio(caller, link.never_starting(), is_local).await?)
}
