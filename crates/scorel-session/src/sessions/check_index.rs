use std::sync::Arc;

use scorel_proto::SessionId;

use super::Sessions;
use crate::{SessionError, blocking};

impl Sessions {
    /// Reads the index, and looks at the logs that it was trusted about. What it did not know is announced.
    ///
    /// To be spawned after [`Sessions::recover`]: the daemon serves clients meanwhile.
    pub async fn check_index(self: &Arc<Self>) {
        let catalog = match self.shared.read_catalog().await {
            Ok(catalog) => Arc::clone(catalog),
            Err(error) => return tracing::warn!(%error, "the catalogue cannot be read"),
        };
        let Ok(misjudged) = blocking(move || catalog.take_misjudged()).await else {
            return;
        };
        for id in misjudged {
            if self.shared.is_draining() {
                return;
            }
            self.check_summary(id).await;
        }
    }

    /// Loads no lane, and none is loaded meanwhile, so the log stays as it is. If there is one, its state is newer.
    async fn check_summary(self: &Arc<Self>, id: SessionId) {
        let slot = self.slot(id);
        let check = || async {
            if self.on_disk(move |shared| shared.check_summary(id)).await? {
                self.removed(id);
            }
            Err(SessionError::NotFound(id))
        };
        match slot.lane.get_or_try_init(check).await.cloned() {
            Ok(lane) => lane.lock().await.section().announce_if_outdated(),
            Err(_) => self.forget_unloaded(id, slot),
        }
    }
}
