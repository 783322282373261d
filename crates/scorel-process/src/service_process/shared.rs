use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::phase::PhaseChange;
use super::users::Users;
use crate::service::Service;
use crate::stderr_log::StderrLog;

/// State that the handle and its task share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) service: Arc<dyn Service>,
    pub(super) phase: watch::Sender<PhaseChange>,
    /// Calls that wait for a start.
    pub(super) waiting: AtomicUsize,
    pub(super) users: Users,
    pub(super) demand: Notify,
    pub(super) restart: Notify,
    pub(super) closed: CancellationToken,
    pub(super) stderr: StderrLog,
}

/// Counts a call that waits for a start.
pub(super) struct WaitingCall<'a>(&'a AtomicUsize);

impl<'a> WaitingCall<'a> {
    pub(super) fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::AcqRel);
        Self(waiting)
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
