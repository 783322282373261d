//! Steps that have to reach the log, however long it cannot be written.

use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{BlobHash, StorageStall, UnsavedRecord};

use super::{EventDraft, Lane, Section};
use crate::SessionError;
use crate::clock::now_ms;

/// The interval between attempts.
const RETRY: Duration = Duration::from_secs(1);

impl Lane {
    /// Repeats `step` while the log cannot be written, until the daemon stops.
    ///
    /// For all records of a turn: finished work must not be lost to a disk that is full for a while,
    /// and a turn whose outcome were dropped would block the session for ever. A client's command gets
    /// the error instead and can be retried. Meanwhile the session says that it is stalled.
    ///
    /// `step` begins anew with each attempt, so what comes before its last commit must be repeatable. Its
    /// sections stay on the caller's thread, so nothing else in the caller's task is polled while the disk works:
    /// a task that serves a connection uses [`Lane::persist_aside`].
    ///
    /// # Errors
    ///
    /// As `step`.
    pub async fn persist<R, F>(self: &Arc<Self>, step: F) -> Result<R, SessionError>
    where
        R: Send + 'static,
        F: Fn(&mut Section<'_>) -> Result<R, SessionError> + Clone + Send + 'static,
    {
        loop {
            let step = step.clone();
            let taken = self.section_in_place(move |section| section.attempt(step));
            if let Some(taken) = self.taken(taken.await.and_then(|taken| taken)).await {
                return taken;
            }
        }
    }

    /// As [`Lane::persist`], on a blocking thread.
    ///
    /// # Errors
    ///
    /// As `step`.
    pub async fn persist_aside<R, F>(self: &Arc<Self>, step: F) -> Result<R, SessionError>
    where
        R: Send + 'static,
        F: Fn(&mut Section<'_>) -> Result<R, SessionError> + Clone + Send + 'static,
    {
        loop {
            let step = step.clone();
            let taken = self.section(move |section| section.attempt(step));
            if let Some(taken) = self.taken(taken.await.and_then(|taken| taken)).await {
                return taken;
            }
        }
    }

    /// The result of an attempt; `None`, after a pause, if another one is due.
    async fn taken<R>(&self, taken: Result<R, SessionError>) -> Option<Result<R, SessionError>> {
        match taken {
            Err(SessionError::Stalled(reason)) if !self.shared.is_draining() => {
                tracing::warn!(session = %self.id(), reason, "waiting for the log");
                tokio::time::sleep(RETRY).await;
                None
            }
            taken => Some(taken),
        }
    }

    /// Commits an event, however long the log cannot be written.
    pub(crate) async fn persist_event(
        self: &Arc<Self>,
        draft: EventDraft,
    ) -> Result<(), SessionError> {
        self.persist(move |section| section.commit(draft.clone()).map(drop))
            .await
    }

    /// Stores a text as a blob of the session, which a record is to name. Waits as a record does.
    ///
    /// # Errors
    ///
    /// If it is too large, or cannot be stored for another reason.
    pub async fn put_text(self: &Arc<Self>, text: String) -> Result<BlobHash, SessionError> {
        let text: Arc<str> = text.into();
        self.persist(move |section| {
            let stored = section.lane.blobs().put(text.as_bytes());
            if stored.is_err() {
                section.state.unsaved = Some(UnsavedRecord {
                    kind: "blob".to_owned(),
                    bytes: text.len() as u64,
                });
            }
            Ok(stored?)
        })
        .await
    }

    /// Runs `step` in the background as soon as the log can be written.
    pub(super) fn persist_later(
        self: &Arc<Self>,
        step: fn(&mut Section<'_>) -> Result<(), SessionError>,
    ) {
        let lane = Arc::clone(self);
        self.shared.tasks.spawn(async move {
            if let Err(error) = lane.persist(step).await {
                tracing::error!(session = %lane.id(), %error, "the session cannot continue");
            }
        });
    }
}

impl Section<'_> {
    /// Takes a step, and publishes whether the log could be written.
    fn attempt<R>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<R, SessionError>,
    ) -> Result<R, SessionError> {
        let end = self.state.log.end();
        // It may be that of a client's command, which was refused.
        self.state.unsaved = None;
        let taken = step(self);
        match &taken {
            Err(SessionError::Stalled(reason)) => self.stalled(Some(reason.clone())),
            // A step that found nothing to write says nothing about the storage.
            _ if self.state.log.end() != end => self.stalled(None),
            _ => {}
        }
        taken
    }

    /// Publishes why the log cannot be written, or that it can be again.
    fn stalled(&mut self, stalled: Option<String>) {
        let unsaved = self.state.unsaved.take();
        let changed = self.publish_change(|state| {
            let known = &mut state.health.stalled;
            let changed = known.is_some() != stalled.is_some();
            let since = known.as_ref().map_or_else(now_ms, |(_, stall)| stall.since);
            *known = stalled.map(|reason| (reason, StorageStall { since, unsaved }));
            changed
        });
        if changed {
            self.announce();
        }
    }
}
