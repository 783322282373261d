//! The daemon between its start and its end.

use tracing::info;

use crate::setup::{ListenError, Setup};

/// Why the daemon ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
}

/// Runs until the end is asked for.
///
/// # Errors
/// The daemon cannot go on.
pub async fn run(mut setup: Setup) -> Result<(), RunError> {
    let _listener = setup.listen()?;
    let _published = setup.readiness.announce(&setup.home);
    let cause = setup.shutdown.begun().await;
    setup.service.stopping("stopping");
    info!(?cause, "stopped");
    Ok(())
}
