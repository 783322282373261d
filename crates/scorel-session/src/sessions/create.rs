use std::sync::Arc;

use scorel_journal::FORMAT;
use scorel_proto::{
    ClientId, PersistentBody, ProjectId, RunId, Seq, Session, SessionAgent, SessionChanges,
    SessionId, SessionInfoBody, SessionKind, SessionParent, SessionWorktree, ThinkingLevel,
    ToolPreset,
};

use super::Sessions;
use crate::clock::now_ms;
use crate::header::HeaderType;
use crate::lane::EventDraft;
use crate::{Lane, SessionError, SessionHeader};

/// The parameters of a new session.
#[derive(Debug, Clone)]
pub struct NewSession {
    pub project_id: ProjectId,
    /// What creates it: a person, or a turn of another session. In the header, for life.
    pub kind: SessionKind,
    /// The session and the event it comes from. In the header, for life.
    pub parent: Option<SessionParent>,
    pub client_id: ClientId,
    pub title: Option<String>,
    /// The agent that works in it. In the header, for life.
    pub agent: Option<SessionAgent>,
    /// The run that it is made for. In the header, for life.
    pub run: Option<RunId>,
    /// The git worktree that it works in for that run. In the header, for life.
    pub worktree: Option<SessionWorktree>,
    pub model: Option<String>,
    pub runner: Option<String>,
    pub thinking_level: Option<ThinkingLevel>,
    pub tools: Option<ToolPreset>,
}

impl Sessions {
    /// Creates an empty session, which is durable when this returns.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn create(self: &Arc<Self>, new: NewSession) -> Result<Session, SessionError> {
        self.create_as(SessionId::generate(), new).await
    }

    /// Creates an empty session with an id of the caller's. If the session exists, it is completed:
    /// a crash may have come before all of `new` was recorded, and the host retries with the same id.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn create_as(
        self: &Arc<Self>,
        id: SessionId,
        new: NewSession,
    ) -> Result<Session, SessionError> {
        self.make(id, move |sessions, known| async move {
            let lane = match known {
                Some(lane) => lane,
                None => sessions.create_lane(sessions.header(id, &new)).await?,
            };
            sessions.describe_new(&lane, &new).await?;
            Ok(lane)
        })
        .await
    }

    /// Records what a new session is besides its header, unless it has records already.
    async fn describe_new(
        self: &Arc<Self>,
        lane: &Arc<Lane>,
        new: &NewSession,
    ) -> Result<(), SessionError> {
        let untouched = lane.session()?.last_persistent_seq == Seq::ZERO;
        let Some(changes) = first_changes(new).filter(|_| untouched) else {
            return Ok(());
        };
        let body = PersistentBody::SessionInfo(SessionInfoBody { changes });
        let draft = EventDraft::new(body).authored_by(new.client_id);
        let described = lane
            .section(move |section| section.commit(draft).map(drop))
            .await
            .and_then(|described| described);
        if described.is_err() {
            // Without its properties the session is not the one that was asked for.
            let _ = self.delete(lane.id()).await;
        }
        described
    }

    fn header(&self, id: SessionId, new: &NewSession) -> SessionHeader {
        SessionHeader {
            kind: new.kind,
            parent: new.parent.clone(),
            agent: new.agent.clone(),
            run: new.run,
            worktree: new.worktree.clone(),
            ..self.new_header(id, new.project_id)
        }
    }

    /// The header of a new session of a user.
    pub(super) fn new_header(&self, session_id: SessionId, project_id: ProjectId) -> SessionHeader {
        SessionHeader {
            type_name: HeaderType::Session,
            format: FORMAT,
            session_id,
            project_id,
            device_id: self.device_id,
            kind: SessionKind::User,
            parent: None,
            agent: None,
            origin: None,
            run: None,
            worktree: None,
            created_at: now_ms(),
            version: self.version.clone(),
        }
    }

    /// Creates the session's log, in a second attempt if too many files were open.
    async fn create_lane(&self, header: SessionHeader) -> Result<Arc<Lane>, SessionError> {
        let id = header.session_id;
        // In the slot where others would load it: as soon as the log has its name it can be found, and two
        // lanes would be two writers of it.
        let slot = self.slot(id);
        let create = || self.with_room(|| self.create_log(header.clone()));
        let created = slot.lane.get_or_try_init(create).await.cloned();
        match &created {
            Ok(_) => self.make_room().await,
            Err(_) => self.forget_unloaded(id, slot),
        }
        created
    }

    async fn create_log(&self, header: SessionHeader) -> Result<Arc<Lane>, SessionError> {
        let seams = Arc::clone(&self.seams);
        self.on_disk(move |shared| Lane::create(Arc::clone(shared), header, seams))
            .await?
    }
}

fn first_changes(new: &NewSession) -> Option<SessionChanges> {
    let changes = SessionChanges {
        title: new.title.clone(),
        model: new.model.clone(),
        runner: new.runner.clone(),
        thinking_level: new.thinking_level,
        tools: new.tools,
        ..SessionChanges::default()
    };
    (changes != SessionChanges::default()).then_some(changes)
}
