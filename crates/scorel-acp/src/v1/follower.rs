use std::sync::Arc;

use agent_client_protocol_schema::v1::SessionUpdate;
use scorel_client::{SessionStream, StreamItem};
use scorel_peer::Closed;
use scorel_proto::{ErrorCode, Event, PersistentBody, Seq, SyncMarker};
use tokio::sync::oneshot;

use crate::daemon::{Connector, Daemon};
use crate::editor::Editor;
use crate::failure::Failure;
use crate::v1::questions::Questions;
use crate::v1::session::OpenSession;
use crate::v1::transcript::Transcript;

/// Shows the editor a session: everything after what it has, then what happens.
#[derive(Debug)]
pub(super) struct Follower<C> {
    session: Arc<OpenSession>,
    stream: SessionStream<C>,
    transcript: Transcript,
    questions: Questions,
    daemon: Daemon<C>,
    editor: Editor,
    /// True while the stream sends what is stored, in which questions were answered long ago.
    is_loading: bool,
    /// Told once what is stored has been shown.
    loaded: Option<oneshot::Sender<()>>,
}

/// Why a follower ends.
enum FollowEnd {
    /// The editor takes nothing more.
    Editor,
    /// The session is gone.
    Session(Failure),
}

impl From<Closed> for FollowEnd {
    fn from(Closed: Closed) -> Self {
        Self::Editor
    }
}

impl<C: Connector> Follower<C> {
    /// `loaded` is told once everything that is stored after `shown` has been shown.
    pub(super) fn new(
        session: Arc<OpenSession>,
        stream: SessionStream<C>,
        shown: Seq,
        daemon: Daemon<C>,
        editor: Editor,
        loaded: oneshot::Sender<()>,
    ) -> Self {
        Self {
            transcript: Transcript::new(session.work_dir.clone(), shown),
            session,
            stream,
            questions: Questions::default(),
            daemon,
            editor,
            is_loading: true,
            loaded: Some(loaded),
        }
    }

    /// Follows until the session is closed or gone, or the editor is.
    pub(super) async fn run(mut self) {
        let end = self.session.end.clone();
        let failure = tokio::select! {
            () = end.cancelled() => {
                let message = "the editor opened the session anew or deleted it";
                Failure::new(ErrorCode::SessionNotFound, message)
            }
            ended = self.follow() => match ended {
                FollowEnd::Editor => return,
                FollowEnd::Session(failure) => failure,
            }
        };
        self.session.prompts.lose(&failure);
        // Nothing is asked any more about a session that is not followed.
        let (id, work_dir) = (self.session.id, &self.session.work_dir);
        let withdrawn = self
            .questions
            .reconcile(&[], id, work_dir, &self.daemon, &self.editor);
        // Fails if the editor is gone.
        let _: Result<(), Closed> = withdrawn.await;
        end.cancel();
    }

    async fn follow(&mut self) -> FollowEnd {
        loop {
            let taken = match self.stream.next().await {
                Ok(Some(item)) => self.take(item).await,
                Ok(None) => return FollowEnd::Session(gone()),
                Err(error) => return FollowEnd::Session(error.into()),
            };
            if let Err(Closed) = taken {
                return FollowEnd::Editor;
            }
            // A long history must not keep the other sessions waiting.
            tokio::task::consume_budget().await;
        }
    }

    async fn take(&mut self, item: StreamItem) -> Result<(), Closed> {
        match item {
            StreamItem::Event(_, event) => self.event(&event).await,
            StreamItem::Marker(marker) => self.marker(&marker).await,
            StreamItem::Reconnecting { .. } => Ok(()),
        }
    }

    async fn event(&mut self, event: &Event) -> Result<(), Closed> {
        let is_own = match event {
            Event::Persistent(event) => match event.body {
                // The prompt is answered after everything of its turn was shown.
                PersistentBody::TurnOutcome(_) => false,
                _ => self.session.prompts.event(event),
            },
            _ => false,
        };
        let updates = self.transcript.event(event, is_own);
        self.show(updates).await?;
        let Event::Persistent(event) = event else {
            return Ok(());
        };
        self.ask().await?;
        match event.body {
            PersistentBody::TurnOutcome(_) => {
                self.session.prompts.event(event);
                self.changed();
            }
            PersistentBody::SessionInfo(_) | PersistentBody::Compact(_) => self.changed(),
            _ => {}
        }
        Ok(())
    }

    async fn marker(&mut self, marker: &SyncMarker) -> Result<(), Closed> {
        match marker {
            SyncMarker::SyncStart { .. } => self.is_loading = true,
            SyncMarker::InFlight { in_flight, .. } => {
                let updates = self.transcript.in_flight(in_flight);
                self.show(updates).await?;
            }
            SyncMarker::SyncEnd { .. } => {
                self.is_loading = false;
                if let Some(loaded) = self.loaded.take() {
                    // Fails if the request that waits for it was given up.
                    let _: Result<(), ()> = loaded.send(());
                }
                self.ask().await?;
            }
            SyncMarker::End { .. } => {}
        }
        Ok(())
    }

    /// Has usage, title and options told again. What is stored tells them once, at the end.
    fn changed(&self) {
        if !self.is_loading {
            self.session.changed.notify_one();
        }
    }

    async fn ask(&mut self) -> Result<(), Closed> {
        if self.is_loading {
            return Ok(());
        }
        let open = &self.stream.view().state.permissions;
        let (id, work_dir) = (self.session.id, &self.session.work_dir);
        self.questions
            .reconcile(open, id, work_dir, &self.daemon, &self.editor)
            .await
    }

    async fn show(&mut self, updates: Vec<SessionUpdate>) -> Result<(), Closed> {
        for update in updates {
            self.editor.update(self.session.id, update).await?;
        }
        Ok(())
    }
}

fn gone() -> Failure {
    let message = "the session was deleted, or has failed";
    Failure::new(ErrorCode::SessionNotFound, message)
}
