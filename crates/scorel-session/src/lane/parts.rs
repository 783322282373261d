//! A lane's parts and facts, for turns, features and the host.

use std::sync::Arc;
use std::time::Duration;

use scorel_journal::Blobs;
use scorel_proto::{ProjectId, Seq, SessionId};
use tokio::sync::futures::Notified;
use tokio_util::task::TaskTracker;

use super::Lane;
use crate::clock::millis;
use crate::runner_pool::RunnerPool;
use crate::{HostFeed, SessionError, SessionHeader, SessionResources, TurnSetup, blocking};

impl Lane {
    /// Takes note of the summary that the context begins with, and returns what was noted before.
    pub(crate) fn note_summary(&self, summary: Seq) -> Option<Seq> {
        self.shown_summary.lock().replace(summary)
    }

    pub const fn id(&self) -> SessionId {
        self.header.session_id
    }

    /// The project of the session.
    pub const fn project_id(&self) -> ProjectId {
        self.header.project_id
    }

    /// The session's blobs. Their methods block on the disk.
    pub const fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Fails for a log of a newer version: nothing may be written into such a session's directory.
    ///
    /// # Errors
    ///
    /// [`SessionError::Failed`], naming the version.
    pub fn check_writable(&self) -> Result<(), SessionError> {
        match self.header.problem() {
            None => Ok(()),
            Some(reason) => Err(SessionError::Failed {
                session_id: self.id(),
                reason,
            }),
        }
    }

    /// Returns whether the session can be changed: it is not deleted, damaged or failed, and recovery has run.
    pub fn can_change(&self) -> bool {
        self.check_writable().is_ok() && self.published().state().health.check_usable().is_ok()
    }

    pub(crate) fn setup(&self) -> Arc<dyn TurnSetup> {
        Arc::clone(&self.shared.setup)
    }

    /// The resources that the host keeps for the session.
    pub(crate) fn resources(&self) -> &Arc<dyn SessionResources> {
        let made = || self.setup().resources(&self.header);
        self.resources.get_or_init(made)
    }

    /// Ends what the host keeps for the session. Blocks.
    pub(crate) fn end_resources(&self) {
        if let Some(resources) = self.opened_resources() {
            resources.end();
        }
    }

    /// The same as [`Self::resources`] if the session has needed it.
    pub(crate) fn opened_resources(&self) -> Option<&Arc<dyn SessionResources>> {
        self.resources.get()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.shared.is_draining()
    }

    /// Tracks the tasks that must end before the daemon does.
    pub(crate) fn tasks(&self) -> &TaskTracker {
        &self.shared.tasks
    }

    /// The facts of the session that never change.
    pub const fn header(&self) -> &SessionHeader {
        &self.header
    }

    /// The wall clock, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.shared.settings.wall_clock.now_ms()
    }

    /// The moment after a delay from now, in milliseconds since 1970.
    pub(crate) fn moment_after(&self, delay: Duration) -> u64 {
        self.now_ms().saturating_add(millis(delay))
    }

    /// The cost of all calls of today, in millionths of a US dollar.
    pub(crate) async fn day_micro_usd(&self) -> Result<u64, SessionError> {
        let (shared, now) = (Arc::clone(&self.shared), self.now_ms());
        blocking(move || shared.usage.day_micro_usd(now)).await?
    }

    /// Completes after the next permission decision, or the end of a wait.
    pub(crate) fn answered(&self) -> Notified<'_> {
        self.answered.notified()
    }

    /// Completes after the next change of the queue.
    pub(crate) fn queued(&self) -> Notified<'_> {
        self.queued.notified()
    }

    /// Completes when the running job has ended.
    pub(crate) fn job_ended(&self) -> Notified<'_> {
        self.job_ended.notified()
    }

    /// Changes of all sessions, for host subscribers.
    pub fn host(&self) -> &HostFeed {
        &self.shared.host
    }

    /// The processes of runners.
    pub(crate) fn runners(&self) -> &RunnerPool {
        &self.shared.runners
    }
}
