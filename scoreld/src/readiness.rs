use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use scorel_host::Home;
use tracing::{info, warn};

use crate::daemonize::ReadyPipe;
use crate::exit::Exit;
use crate::instance::{DaemonInfo, PublishedInfo};
use crate::service::ServiceManager;

/// Everybody who waits for the daemon: the process that started it, the service manager, and
/// whoever reads `daemon.json`.
#[derive(Debug, Clone)]
pub(crate) struct Readiness {
    pipe: Arc<Mutex<Option<ReadyPipe>>>,
    service: ServiceManager,
    started_at: u64,
}

impl Readiness {
    pub(crate) fn new(pipe: Option<ReadyPipe>, service: ServiceManager) -> Self {
        let elapsed = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            pipe: Arc::new(Mutex::new(pipe)),
            service,
            started_at: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// When the daemon started, in milliseconds since 1970.
    #[must_use]
    pub(crate) const fn started_at(&self) -> u64 {
        self.started_at
    }

    /// Says that the daemon accepts connections, which must be so. The result is to be kept while
    /// that lasts.
    #[must_use]
    pub(crate) fn announce(&self, home: &Home) -> Option<PublishedInfo> {
        let info = DaemonInfo {
            pid: process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            socket_path: home.socket().to_owned(),
            started_at: self.started_at,
        };
        // Only information: a daemon on a full disk still serves.
        let published = info.publish(&home.daemon());
        let published = published.inspect_err(|error| warn!(%error, "cannot write daemon.json"));
        let socket = home.socket().display();
        info!(%socket, "ready");
        self.service.ready(&format!("listening on {socket}"));
        self.served();
        published.ok()
    }

    /// Tells the process that started this one that the home is served, by whomever.
    pub(crate) fn served(&self) {
        if let Some(pipe) = self.take() {
            pipe.ready();
        }
    }

    /// Tells the process that started this one why the home is not served, if it still waits.
    pub(crate) fn failed(&self, exit: Exit, message: &str) {
        if let Some(pipe) = self.take() {
            pipe.failed(exit, message);
        }
    }

    fn take(&self) -> Option<ReadyPipe> {
        self.pipe
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}
