use std::sync::Arc;

use scorel_proto::{Session, SessionId};

use super::{Sessions, in_task};
use crate::{Lane, SessionError};

impl Sessions {
    /// Makes the session `id`, announces it and describes it. `make` gets the session if it exists: a
    /// crash may have kept it from being acknowledged.
    pub(super) async fn make<F>(
        self: &Arc<Self>,
        id: SessionId,
        make: impl FnOnce(Arc<Self>, Option<Arc<Lane>>) -> F + Send + 'static,
    ) -> Result<Session, SessionError>
    where
        F: Future<Output = Result<Arc<Lane>, SessionError>> + Send,
    {
        if self.shared.is_draining() {
            return Err(SessionError::ShuttingDown);
        }
        let sessions = Arc::clone(self);
        in_task(async move {
            let known = match sessions.get(id).await {
                Err(SessionError::NotFound(_)) => None,
                known => Some(known?),
            };
            let lane = make(sessions, known).await?;
            let mut locked = lane.lock().await;
            let mut section = locked.section();
            section.announce();
            Ok(section.published().describe())
        })
        .await
    }
}
