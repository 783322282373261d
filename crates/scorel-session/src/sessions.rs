//! All sessions of a daemon.

mod delete;
mod housekeeping;
mod recover;
mod resync_pages;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use scorel_journal::{FORMAT, Index, Journal, Storage};
use scorel_proto::{
    ActiveSession, Anchors, ClientId, DeviceId, HostEvent, ListSessionsResult, Phase, Project,
    ProjectId, Seq, Session, SessionChanges, SessionId, SessionKind, SessionParent, SessionView,
    ThinkingLevel, ToolPreset,
};
use tokio::sync::OnceCell;
use tokio::time::Instant;

pub use crate::catalog::ListFilter;

use crate::clock::now_ms;
use crate::header::HeaderType;
use crate::lane::{LaneState, Log};
use crate::receipts::Receipts;
use crate::shared::Shared;
use crate::spool::Spool;
use crate::{HostFeed, Lane, SessionError, SessionHeader, SessionSettings, Subscriber, TurnSetup};

/// How many sessions a snapshot for those who follow the daemon holds.
const SNAPSHOT_SESSIONS: usize = 200;

/// All sessions of a daemon: those in memory, and a catalogue of all.
#[derive(Debug)]
pub struct Sessions {
    shared: Arc<Shared>,
    loaded: Mutex<HashMap<SessionId, Arc<Slot>>>,
    device_id: DeviceId,
    version: String,
}

/// The place of a session in memory, while it is loaded or being loaded.
#[derive(Debug)]
struct Slot {
    lane: OnceCell<Arc<Lane>>,
    last_used: Mutex<Instant>,
}

/// A session to make.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The project it belongs to, for life.
    pub project_id: ProjectId,
    /// What makes it: a person, or a turn of another session. In the header, for life.
    pub kind: SessionKind,
    /// The session and the event that it comes from. In the header, for life.
    pub parent: Option<SessionParent>,
    /// Who makes it.
    pub client_id: ClientId,
    /// A title.
    pub title: Option<String>,
    /// A model of its own.
    pub model: Option<String>,
    /// How much the model should think.
    pub thinking_level: Option<ThinkingLevel>,
    /// Which tools the model should be offered.
    pub tools: Option<ToolPreset>,
}

impl Sessions {
    /// The sessions in `dir`, which exists. Reads nothing yet. `files` are the files of summaries
    /// and of active sessions.
    #[must_use]
    pub fn new(
        dir: PathBuf,
        files: (PathBuf, PathBuf),
        identity: (DeviceId, String),
        storage: Arc<dyn Storage>,
        settings: SessionSettings,
        setup: Arc<dyn TurnSetup>,
    ) -> Arc<Self> {
        Self::with_setup(dir, files, identity, storage, settings, |_| setup)
    }

    /// The same for a turn set-up that makes sessions itself. It gets a weak handle: the sessions
    /// own the set-up, so a strong one would keep both alive for ever.
    #[must_use]
    pub fn with_setup(
        dir: PathBuf,
        files: (PathBuf, PathBuf),
        identity: (DeviceId, String),
        storage: Arc<dyn Storage>,
        settings: SessionSettings,
        setup: impl FnOnce(Weak<Self>) -> Arc<dyn TurnSetup>,
    ) -> Arc<Self> {
        let (device_id, version) = identity;
        Arc::new_cyclic(|sessions| {
            let setup = setup(Weak::clone(sessions));
            Self {
                shared: Arc::new(Shared::new(dir, files, storage, settings, setup)),
                loaded: Mutex::default(),
                device_id,
                version,
            }
        })
    }

    /// Changes of projects and sessions, for those who follow the daemon.
    #[must_use]
    pub fn host(&self) -> &HostFeed {
        &self.shared.host
    }

    /// Makes an empty session. It is durable when this returns.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn create(self: &Arc<Self>, new: NewSession) -> Result<Session, SessionError> {
        self.create_as(SessionId::generate(), new).await
    }

    /// Makes an empty session with an id that the caller made. If there is one with that id, it is
    /// only completed, in case a crash came before all of `new` was written.
    ///
    /// # Errors
    ///
    /// See [`SessionError`].
    pub async fn create_as(
        self: &Arc<Self>,
        id: SessionId,
        new: NewSession,
    ) -> Result<Session, SessionError> {
        if self.shared.is_draining() {
            return Err(SessionError::ShuttingDown);
        }
        let sessions = Arc::clone(self);
        // Not dropped with the caller: a session that was begun is finished.
        let made = tokio::spawn(async move {
            let lane = match sessions.get(id).await {
                Err(SessionError::NotFound(_)) => {
                    sessions.create_lane(sessions.header(id, &new)).await?
                }
                known => known?,
            };
            sessions.describe_new(&lane, &new).await?;
            let state = lane.lock().await;
            lane.announce(&state);
            Ok(lane.describe(&state))
        });
        made.await
            .map_err(|error| SessionError::Internal(error.to_string()))?
    }

    /// Writes what a new session is besides its header; nothing if it has records.
    async fn describe_new(
        self: &Arc<Self>,
        lane: &Arc<Lane>,
        new: &NewSession,
    ) -> Result<(), SessionError> {
        let untouched = lane.session().await?.last_persistent_seq == Seq::ZERO;
        let Some(changes) = first_changes(new).filter(|_| untouched) else {
            return Ok(());
        };
        let described = lane.describe_first(new.client_id, changes).await;
        if described.is_err() {
            // Half a session is none.
            let _ = self.delete(lane.id()).await;
        }
        described
    }

    fn header(&self, session_id: SessionId, new: &NewSession) -> SessionHeader {
        SessionHeader {
            type_name: HeaderType::Session,
            format: FORMAT,
            session_id,
            project_id: new.project_id,
            device_id: self.device_id,
            kind: new.kind,
            parent: new.parent.clone(),
            created_at: now_ms(),
            version: self.version.clone(),
        }
    }

    async fn create_lane(&self, header: SessionHeader) -> Result<Arc<Lane>, SessionError> {
        let shared = Arc::clone(&self.shared);
        let id = header.session_id;
        let lane = tokio::task::spawn_blocking(move || create(header, shared))
            .await
            .map_err(|error| SessionError::Internal(error.to_string()))??;
        let slot = Slot {
            lane: OnceCell::from(Arc::clone(&lane)),
            last_used: now(),
        };
        self.loaded().insert(id, Arc::new(slot));
        Ok(lane)
    }

    /// The session, loaded if it was not.
    ///
    /// # Errors
    ///
    /// If there is no such session, or its log cannot be opened.
    pub async fn get(self: &Arc<Self>, id: SessionId) -> Result<Arc<Lane>, SessionError> {
        let slot = self.slot(id);
        if let Some(lane) = slot.lane.get() {
            return Ok(Arc::clone(lane));
        }
        let sessions = Arc::clone(self);
        // Loading may write, so it is never abandoned half way: two loads at once would be two
        // writers.
        let loading = tokio::spawn(async move {
            let load = || sessions.load(id);
            let loaded = slot.lane.get_or_try_init(load).await.cloned();
            if loaded.is_err() {
                sessions.forget_unloaded(id, slot);
            }
            loaded
        });
        loading
            .await
            .map_err(|error| SessionError::Internal(error.to_string()))?
    }

    async fn load(&self, id: SessionId) -> Result<Arc<Lane>, SessionError> {
        let shared = Arc::clone(&self.shared);
        let loaded = tokio::task::spawn_blocking(move || Lane::load(shared, id))
            .await
            .map_err(|error| SessionError::Internal(error.to_string()))?;
        if let Err(SessionError::Failed { reason, .. }) = &loaded {
            self.shared.session_failed(id, reason);
        }
        loaded
    }

    fn slot(&self, id: SessionId) -> Arc<Slot> {
        let new = || {
            Arc::new(Slot {
                lane: OnceCell::new(),
                last_used: now(),
            })
        };
        let slot = Arc::clone(self.loaded().entry(id).or_insert_with(new));
        *slot
            .last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
        slot
    }

    /// Gives up the place of a session that could not be loaded. Whoever else waits for it may
    /// still load it, so the last one to give up takes it out of the map.
    fn forget_unloaded(&self, id: SessionId, slot: Arc<Slot>) {
        let mut loaded = self.loaded();
        drop(slot);
        if loaded
            .get(&id)
            .is_some_and(|known| Arc::strong_count(known) == 1 && !known.lane.initialized())
        {
            loaded.remove(&id);
        }
    }

    /// Follows a session from where a client stands.
    ///
    /// # Errors
    ///
    /// If there is no such session, or its log cannot be opened.
    pub async fn subscribe(
        self: &Arc<Self>,
        id: SessionId,
        anchors: Anchors,
    ) -> Result<Subscriber, SessionError> {
        Ok(Subscriber::new(self.get(id).await?, anchors))
    }

    /// Lists sessions, the one that changed last first, and says where the next page begins.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn list(&self, filter: ListFilter) -> Result<ListSessionsResult, SessionError> {
        self.shared.catalog().await?.list(&filter)
    }

    /// Whether a project has sessions.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn has_sessions(&self, project_id: ProjectId) -> Result<bool, SessionError> {
        Ok(self.shared.catalog().await?.has_sessions(project_id))
    }

    /// Everything that those who follow the daemon begin with.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn snapshot(&self, projects: Vec<Project>) -> Result<(u64, HostEvent), SessionError> {
        let catalog = self.shared.catalog().await?;
        // Read before the sessions: a change in between is sent once more, never left out.
        let version = self.shared.host.version();
        let filter = ListFilter {
            limit: SNAPSHOT_SESSIONS,
            ..ListFilter::default()
        };
        let page = catalog.list(&filter)?;
        Ok((
            version,
            HostEvent::Snapshot {
                version,
                projects,
                sessions: page.sessions,
                more: page.next_cursor.is_some(),
            },
        ))
    }

    /// The sessions in memory that are not idle.
    pub async fn active(&self) -> Vec<ActiveSession> {
        let mut active = Vec::new();
        for lane in self.lanes() {
            let (phase, turn_id) = lane.phase().await;
            if !matches!(phase, Phase::Idle | Phase::Failed) {
                active.push(ActiveSession {
                    session_id: lane.id(),
                    phase,
                    turn_id,
                });
            }
        }
        active
    }

    /// How many sessions are in memory.
    #[must_use]
    pub fn loaded_count(&self) -> usize {
        self.loaded().len()
    }

    fn lanes(&self) -> Vec<Arc<Lane>> {
        self.loaded()
            .values()
            .filter_map(|slot| slot.lane.get().cloned())
            .collect()
    }

    fn loaded(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Slot>>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn now() -> Mutex<Instant> {
    Mutex::new(Instant::now())
}

fn first_changes(new: &NewSession) -> Option<SessionChanges> {
    let changes = SessionChanges {
        title: new.title.clone(),
        model: new.model.clone(),
        thinking_level: new.thinking_level,
        tools: new.tools,
        archived: None,
    };
    (changes != SessionChanges::default()).then_some(changes)
}

fn create(header: SessionHeader, shared: Arc<Shared>) -> Result<Arc<Lane>, SessionError> {
    let dir = shared.session_dir(header.session_id);
    let line =
        serde_json::to_vec(&header).map_err(|error| SessionError::Internal(error.to_string()))?;
    let storage = Arc::clone(&shared.storage);
    let journal = Journal::create(storage, &dir, line, shared.settings.durability)
        .map_err(|error| SessionError::Stalled(crate::error::chain(&error)))?;
    let state = LaneState {
        session_id: header.session_id,
        checkpointed: journal.end(),
        log: Log::Journal(journal),
        view: SessionView::default(),
        index: Index::new(),
        receipts: Receipts::default(),
        spool: Spool::new(Arc::clone(&shared.storage), &dir),
        damage: Vec::new(),
        failed: None,
        deleted: false,
        recovery_due: None,
        lift_pause: false,
    };
    Ok(Arc::new(Lane::new(header, dir, state, shared)))
}
