use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use scorel_home::Home;
use tracing::{info, warn};

use crate::daemonize::ReadyPipe;
use crate::exit::DaemonExit;
use crate::instance::{DaemonInfo, PublishedInfo};
use crate::service::ServiceManager;

/// Announces that the daemon accepts connections: to the process that started it (a pipe), to the
/// service manager, and in `daemon.json`.
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

    /// Start time in milliseconds since 1970.
    pub(crate) const fn started_at(&self) -> u64 {
        self.started_at
    }

    /// Announces readiness; the caller must be listening. Dropping the result removes `daemon.json`.
    pub(crate) fn announce(&self, home: &Home) -> Option<PublishedInfo> {
        let info = DaemonInfo {
            pid: process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            socket_path: home.socket().to_owned(),
            started_at: self.started_at,
            stopping_within: None,
        };
        // Nothing depends on `daemon.json`: a daemon on a full disk still serves.
        let published = info.publish(&home.daemon());
        let published = published.inspect_err(|error| warn!(%error, "cannot write daemon.json"));
        let socket = home.socket().display();
        info!(%socket, "ready");
        self.service.ready(&format!("listening on {socket}"));
        self.served();
        published.ok()
    }

    /// Tells the starting process that a daemon serves the home: this one or another.
    pub(crate) fn served(&self) {
        if let Some(pipe) = self.take() {
            pipe.ready();
        }
    }

    /// Tells the starting process why the daemon did not start. After `served` it does nothing.
    pub(crate) fn failed(&self, exit: DaemonExit, message: &str) {
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
