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
    /// `step` begins anew with each attempt, so what comes before its last commit must be repeatable.
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
            let taken = self.section(move |section| {
                let end = section.state.log.end();
                // It may be that of a client's command, which was refused.
                section.state.unsaved = None;
                let taken = step(section);
                match &taken {
                    Err(SessionError::Stalled(reason)) => section.stalled(Some(reason.clone())),
                    // A step that found nothing to write says nothing about the storage.
                    _ if section.state.log.end() != end => section.stalled(None),
                    _ => {}
                }
                taken
            });
            match taken.await.and_then(|taken| taken) {
                Err(SessionError::Stalled(reason)) if !self.shared.is_draining() => {
                    tracing::warn!(session = %self.id(), reason, "waiting for the log");
                    tokio::time::sleep(RETRY).await;
                }
                taken => return taken,
            }
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
