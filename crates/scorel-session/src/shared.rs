use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scorel_journal::{Blobs, Storage};
use scorel_proto::{Session, SessionId};
use tokio_util::task::TaskTracker;

use crate::active::ActiveSet;
use crate::catalog::Catalog;
use crate::{HostFeed, SessionError, SessionSettings, TurnSetup};

/// What all lanes of a daemon share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) settings: SessionSettings,
    pub(crate) setup: Arc<dyn TurnSetup>,
    pub(crate) host: HostFeed,
    /// The turns, and whatever else must end before the daemon does.
    pub(crate) tasks: TaskTracker,
    /// The sessions that need the daemon although nobody asks for them.
    pub(crate) active: ActiveSet,
    dir: PathBuf,
    catalog: Arc<Catalog>,
    draining: AtomicBool,
}

impl Shared {
    pub(crate) fn new(
        dir: PathBuf,
        (index, active): (PathBuf, PathBuf),
        storage: Arc<dyn Storage>,
        settings: SessionSettings,
        setup: Arc<dyn TurnSetup>,
    ) -> Self {
        Self {
            catalog: Arc::new(Catalog::new(Arc::clone(&storage), dir.clone(), index)),
            active: ActiveSet::new(Arc::clone(&storage), active),
            storage,
            settings,
            setup,
            host: HostFeed::new(),
            tasks: TaskTracker::new(),
            dir,
            draining: AtomicBool::new(false),
        }
    }

    pub(crate) fn session_dir(&self, id: SessionId) -> PathBuf {
        self.dir.join(id.to_string())
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn blobs(&self, dir: &Path) -> Blobs {
        Blobs::new(Arc::clone(&self.storage), dir, self.settings.max_blob)
    }

    /// Whether the daemon is stopping: no new turn begins.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Release);
    }

    /// The catalogue, read if it was not.
    pub(crate) async fn catalog(&self) -> Result<&Catalog, SessionError> {
        Catalog::ready(&self.catalog).await?;
        Ok(&self.catalog)
    }

    /// Writes the summaries, if they have changed. Blocks on the disk.
    pub(crate) fn save_catalog(&self) {
        self.catalog.save();
    }

    /// A session was made or has changed; its log has `log_bytes`, if that stands for its content.
    pub(crate) fn session_changed(&self, session: Session, log_bytes: Option<u64>) {
        self.catalog.put(session.clone(), log_bytes);
        self.host.session_changed(session);
    }

    /// A session cannot be used, for this reason.
    pub(crate) fn session_failed(&self, id: SessionId, reason: &str) {
        if let Some(session) = self.catalog.fail(id, reason.to_owned()) {
            self.host.session_changed(session);
        }
    }

    /// Whether a session could not be used when somebody tried the last time.
    pub(crate) fn has_failed(&self, id: SessionId) -> bool {
        self.catalog.has_failed(id)
    }

    /// A session was deleted.
    pub(crate) fn session_removed(&self, id: SessionId) {
        self.catalog.remove(id);
        self.host.session_removed(id);
        self.setup.forget(id);
    }
}
