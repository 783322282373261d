//! A process that is started on first need and stays.

mod driver;
mod phase;
mod shared;
mod users;

use std::any::Any;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::service::Service;
use crate::service_error::ServiceError;
use crate::service_link::{CallLimit, ServiceLink};
use crate::service_status::ServiceStatus;
use crate::stderr_log::StderrLog;
use driver::Driver;
use phase::{Phase, PhaseChange};
use shared::{Shared, WaitingCall};
use users::Users;

/// A call waits for a start that is at most this far away, and is refused at once before a later one.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// A process that runs while it is needed, and starts again after a failure.
///
/// ```text
/// stopped → starting → ready → stopped (idle)
/// starting, ready → backoff (1 s, doubled up to 60 s) → starting
/// five failures in five minutes: failed → starting, at a call or a restart
/// ```
///
/// Dropping it stops the process.
#[derive(Debug)]
pub struct ServiceProcess {
    shared: Arc<Shared>,
    /// Set with the first need.
    driver: OnceLock<()>,
    _close: DropGuard,
}

impl ServiceProcess {
    /// A process that is not started yet.
    pub fn new(service: Arc<dyn Service>) -> Self {
        let closed = CancellationToken::new();
        let _close = closed.clone().drop_guard();
        Self {
            shared: Arc::new(Shared {
                service,
                phase: watch::Sender::default(),
                waiting: AtomicUsize::new(0),
                users: Users::default(),
                demand: Notify::new(),
                restart: Notify::new(),
                closed,
                stderr: StderrLog::default(),
            }),
            driver: OnceLock::new(),
            _close,
        }
    }

    /// Calls the process, which is started if it does not run. Call it in a Tokio runtime.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn call(
        &self,
        method: &str,
        params: &RawValue,
        limit: &CallLimit,
    ) -> Result<Box<RawValue>, ServiceError> {
        let link = self.ready().await?;
        link.call(method, params, limit).await
    }

    /// The connection, once the process is ready. Starts it if it does not run.
    ///
    /// # Errors
    /// [`ServiceError::Unavailable`]: it cannot be started, or not soon.
    pub async fn ready(&self) -> Result<Arc<ServiceLink>, ServiceError> {
        let _waiting = WaitingCall::new(&self.shared.waiting);
        let mut phases = self.shared.phase.subscribe();
        let starts_before = phases.borrow().starts;
        let mut has_asked = false;
        loop {
            let change = phases.borrow_and_update().clone();
            let was_tried = change.starts > starts_before;
            match change.phase {
                Phase::Ready(link) => return Ok(link),
                Phase::Closed => return Err(self.unavailable()),
                Phase::Backoff { until, .. } if was_tried || is_far(until) => {
                    return Err(self.unavailable());
                }
                Phase::Failed { .. } if was_tried => return Err(self.unavailable()),
                Phase::Stopped | Phase::Failed { .. } if !has_asked => {
                    has_asked = true;
                    self.ensure_driver();
                    self.shared.demand.notify_one();
                }
                Phase::Stopped | Phase::Starting | Phase::Backoff { .. } | Phase::Failed { .. } => {
                }
            }
            if phases.changed().await.is_err() {
                return Err(self.unavailable());
            }
        }
    }

    /// The connection if the process is ready now.
    pub fn if_ready(&self) -> Option<Arc<ServiceLink>> {
        match &self.shared.phase.borrow().phase {
            Phase::Ready(link) => Some(Arc::clone(link)),
            _ => None,
        }
    }

    /// Keeps the process, also when it is idle, while this is there: it may use it.
    pub fn keep_for<T: Any + Send + Sync>(&self, user: &Arc<T>) {
        let user: Weak<T> = Arc::downgrade(user);
        self.shared.users.add(user);
    }

    /// Stops the process if it runs, forgets its failures and starts it. Returns at once.
    pub fn restart(&self) {
        self.ensure_driver();
        self.shared.restart.notify_one();
    }

    /// Stops the process for good and waits for its end.
    pub async fn close(&self) {
        self.shared.closed.cancel();
        if self.driver.get().is_none() {
            return;
        }
        let mut phases = self.shared.phase.subscribe();
        let is_closed = |change: &PhaseChange| matches!(change.phase, Phase::Closed);
        // Fails if the task is gone, and the process with it.
        let _ended = phases.wait_for(is_closed).await.is_ok();
    }

    pub fn status(&self) -> ServiceStatus {
        self.shared.phase.borrow().status()
    }

    /// At most `bytes` of the end of the error output, of all starts.
    pub fn stderr(&self, bytes: usize) -> String {
        self.shared.stderr.last(bytes)
    }

    fn ensure_driver(&self) {
        self.driver.get_or_init(|| {
            tokio::spawn(Driver::new(Arc::clone(&self.shared)).run());
        });
    }

    /// The reason for which it does not run.
    pub fn unavailable(&self) -> ServiceError {
        let status = self.status();
        let mut reason = status.reason.unwrap_or_else(|| "it was stopped".to_owned());
        if let Some(wait) = status.starts_in {
            let seconds = wait.as_secs_f64().ceil();
            reason.push_str(&format!("; it starts again in {seconds} s"));
        }
        ServiceError::Unavailable {
            name: self.shared.service.name().to_owned(),
            state: status.state,
            reason,
        }
    }
}

fn is_far(until: Instant) -> bool {
    until.saturating_duration_since(Instant::now()) > MAX_WAIT
}

#[cfg(test)]
mod tests;
