use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scorel_journal::{Blobs, Storage};
use scorel_proto::{Session, SessionId};
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use crate::active::ActiveSet;
use crate::catalog::{CLONING_DIR, Catalog, DELETED_PREFIX, SummaryCheck};
use crate::recovery_mark::{GivenUp, RecoveryMark};
use crate::runner_pool::RunnerPool;
use crate::trash::Trash;
use crate::usage_index::UsageIndex;
use crate::window_pool::{WINDOW_BYTES, WindowPool};
use crate::{HostFeed, SessionError, SessionSettings, TurnSetup};

/// What all lanes of a daemon share: the settings, the host side of turns, and the files that are
/// about all sessions.
#[derive(Debug)]
pub(crate) struct LaneShared {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) settings: SessionSettings,
    pub(crate) setup: Arc<dyn TurnSetup>,
    pub(crate) host: HostFeed,
    /// Tasks that must end before the daemon does: turns, and work that waits for a log.
    pub(crate) tasks: TaskTracker,
    /// The sessions that the next daemon has to load at its start.
    pub(crate) active: ActiveSet,
    pub(crate) windows: WindowPool,
    pub(crate) usage: UsageIndex,
    pub(crate) trash: Trash,
    /// Asks housekeeping to unload idle sessions: too many files are open.
    pub(crate) descriptors_wanted: Notify,
    pub(crate) runners: RunnerPool,
    /// Listings need it read: [`LaneShared::read_catalog`].
    pub(crate) catalog: Arc<Catalog>,
    dir: PathBuf,
    draining: AtomicBool,
    parking: AtomicBool,
    /// When this daemon began, in milliseconds since 1970.
    pub(crate) opened_at: u64,
}

impl LaneShared {
    pub(crate) fn new(
        dir: PathBuf,
        (index, active): (PathBuf, PathBuf),
        storage: Arc<dyn Storage>,
        settings: SessionSettings,
        setup: Arc<dyn TurnSetup>,
    ) -> Self {
        let bin = index.with_file_name("trash");
        let usage = UsageIndex::new(
            Arc::clone(&storage),
            (dir.clone(), bin.clone()),
            index.with_file_name("usage"),
            settings.time_zone.clone(),
        );
        Self {
            usage,
            opened_at: settings.wall_clock.now_ms(),
            trash: Trash::new(
                Arc::clone(&storage),
                bin,
                settings.trash_keep,
                settings.wall_clock.clone(),
            ),
            catalog: Arc::new(Catalog::new(Arc::clone(&storage), dir.clone(), index)),
            active: ActiveSet::new(Arc::clone(&storage), active),
            windows: WindowPool::new(WINDOW_BYTES),
            descriptors_wanted: Notify::new(),
            runners: RunnerPool::new(),
            storage,
            settings,
            setup,
            host: HostFeed::new(),
            tasks: TaskTracker::new(),
            dir,
            draining: AtomicBool::new(false),
            parking: AtomicBool::new(false),
        }
    }

    pub(crate) fn session_dir(&self, id: SessionId) -> PathBuf {
        self.dir.join(id.to_string())
    }

    /// The sessions that have a directory.
    pub(crate) fn session_ids(&self) -> io::Result<Vec<SessionId>> {
        let names = self.storage.list(&self.dir)?;
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }

    pub(crate) fn cloning_dir(&self) -> PathBuf {
        self.dir.join(CLONING_DIR)
    }

    pub(crate) fn blobs(&self, dir: &Path) -> Blobs {
        Blobs::new(Arc::clone(&self.storage), dir, self.settings.max_blob)
    }

    /// Begins the recovery of a session, if the last daemon left it with work. Blocks on the disk.
    pub(crate) fn recovery_mark(&self, id: SessionId) -> Result<Option<RecoveryMark>, GivenUp> {
        if !self.active.may_contain(id) {
            return Ok(None);
        }
        let (dir, now) = (self.session_dir(id), self.settings.wall_clock.now_ms());
        let version = env!("CARGO_PKG_VERSION");
        RecoveryMark::begin(&self.storage, &dir, version, now).map(Some)
    }

    /// Returns whether the daemon is stopping. No turn begins any more.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Release);
        self.parking.store(false, Ordering::Release);
        self.runners.close();
    }

    /// Returns whether the daemon is stopping and its turns are to park.
    pub(crate) fn is_parking(&self) -> bool {
        self.parking.load(Ordering::Acquire)
    }

    /// As [`LaneShared::start_draining`], until which turns park.
    pub(crate) fn start_parking(&self) {
        self.parking.store(true, Ordering::Release);
        self.draining.store(true, Ordering::Release);
        self.runners.close();
    }

    /// The catalogue. The first call reads it.
    pub(crate) async fn read_catalog(&self) -> Result<&Arc<Catalog>, SessionError> {
        Catalog::ready(&self.catalog).await?;
        Ok(&self.catalog)
    }

    /// Writes the catalogue and the usage if they have changed. Blocks on the disk.
    pub(crate) fn save_catalog(&self) {
        self.catalog.save();
        self.usage.save();
    }

    /// As [`LaneShared::save_catalog`], for the last time: the next daemon can rely on the catalogue.
    pub(crate) fn close_catalog(&self) {
        self.catalog.close();
        self.usage.save();
    }

    /// Looks at the log of a session that is not loaded, and announces what the catalogue did not know.
    /// Returns whether the session is gone. Blocks on the disk.
    pub(crate) fn check_summary(&self, id: SessionId) -> bool {
        match self.catalog.check(id) {
            SummaryCheck::Right => {}
            SummaryCheck::Changed(session, log_bytes) => self.session_changed(*session, log_bytes),
            SummaryCheck::Gone => return true,
            SummaryCheck::Unreadable(problem) => self.session_failed(id, &problem),
        }
        false
    }

    /// Updates a summary. `log_bytes` is the length of the log that it covers, if it covers all of it.
    pub(crate) fn session_changed(&self, session: Session, log_bytes: Option<u64>) {
        self.catalog.put(session.clone(), log_bytes);
        self.host.session_changed(session);
    }

    pub(crate) fn session_failed(&self, id: SessionId, reason: &str) {
        if let Some(session) = self.catalog.fail(id, reason.to_owned()) {
            self.host.session_changed(session);
        }
    }

    pub(crate) fn session_removed(&self, id: SessionId) {
        self.catalog.remove(id);
        self.host.session_removed(id);
        self.runners.end(id);
    }

    /// Moves a session to the trash, which deletes it.
    pub(crate) fn put_in_trash(&self, id: SessionId) -> Result<(), SessionError> {
        let put = self.trash.put(id, &self.session_dir(id));
        put.map_err(|error| SessionError::moving("delete", &error))
    }

    /// Renames a session's directory, which deletes the session; returns the new path. Removing the
    /// files takes long and can fail half way, a rename is atomic.
    pub(crate) fn put_aside(&self, id: SessionId) -> Result<PathBuf, SessionError> {
        let failed = |error: io::Error| SessionError::moving("delete", &error);
        let aside = self.dir.join(format!("{DELETED_PREFIX}{id}"));
        self.storage
            .rename(&self.session_dir(id), &aside)
            .map_err(failed)?;
        if let Err(error) = self.storage.sync_dir(&self.dir) {
            tracing::warn!(session = %id, %error, "a deletion may not survive a power failure");
        }
        Ok(aside)
    }
}
