//! All sessions of a daemon: which are in memory, and the catalogue of all.
//!
//! In: calls by session id. Out: the session's [`Lane`], loaded on demand and unloaded when it is
//! idle. No call here waits for a lane while it holds the map's lock.

mod check_index;
mod clone;
mod counted_usage;
mod create;
mod delete;
mod garbage;
mod housekeeping;
mod import;
mod make;
mod overview;
mod page_token;
mod pressure;
mod question_filter;
mod questions;
mod recover;
mod resync;
mod unfinished;
mod usage;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use scorel_journal::Storage;
use scorel_proto::{
    AgentHistory, AgentTaskInfo, Anchors, ClientName, DeviceId, HostEvent, ListSessionsResult,
    Project, ProjectId, Session, SessionId,
};
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio::time::Instant;

pub use clone::CloneRequest;
pub use create::NewSession;
pub use import::{ImportDir, ImportRequest, ImportedHistory};
pub use overview::SessionsOverview;
pub use question_filter::QuestionFilter;

use crate::catalog::ListFilter;
use crate::compaction::Compactions;
use crate::lane::LaneSeams;
use crate::locks::{Leaf, SessionsLock};
use crate::restore::Restores;
use crate::shared::LaneShared;
use crate::turn::turn_job;
use crate::{
    HostFeed, Lane, SessionError, SessionFeature, SessionSettings, Subscriber, TurnSetup, blocking,
};
use counted_usage::CountedUsage;

/// How many sessions a host snapshot holds, the most recent ones. It has to fit into one reply; a
/// client lists the rest.
const SNAPSHOT_SESSIONS: usize = 200;

/// All sessions of a daemon.
#[derive(Debug)]
pub struct Sessions {
    shared: Arc<LaneShared>,
    seams: Arc<LaneSeams>,
    loaded: SessionsLock<HashMap<SessionId, Arc<LaneSlot>>>,
    /// Held while sessions are unloaded to make room.
    unloading: tokio::sync::Mutex<()>,
    /// Held while a session goes to the trash or comes back, with all that is told about it.
    moving: tokio::sync::Mutex<()>,
    /// Set when the sessions that the last daemon left unfinished are loaded.
    recovered: AtomicBool,
    device_id: DeviceId,
    version: String,
}

/// A session that is loaded or being loaded. Concurrent callers wait for one load: two would be two
/// writers of one log.
#[derive(Debug)]
struct LaneSlot {
    lane: OnceCell<Arc<Lane>>,
    last_used: Leaf<Instant>,
}

impl Sessions {
    /// The sessions in `dir`, which exists. Reads nothing yet: starting does not depend on how many
    /// there are. `files` are the paths of the catalogue and of the active list. The sessions own their
    /// features, so a feature that uses the sessions belongs to something that owns both.
    pub fn new(
        dir: PathBuf,
        files: (PathBuf, PathBuf),
        identity: (DeviceId, String),
        storage: Arc<dyn Storage>,
        settings: SessionSettings,
        setup: Arc<dyn TurnSetup>,
        features: Vec<Arc<dyn SessionFeature>>,
    ) -> Arc<Self> {
        let shared = Arc::new(LaneShared::new(dir, files, storage, settings, setup));
        let own: [Arc<dyn SessionFeature>; 3] = [
            Arc::new(CountedUsage(Arc::clone(&shared))),
            Arc::new(Restores),
            Arc::new(Compactions),
        ];
        let seams = LaneSeams {
            features: own.into_iter().chain(features).collect(),
            turn_job,
        };
        let (device_id, version) = identity;
        Arc::new(Self {
            shared,
            seams: Arc::new(seams),
            loaded: SessionsLock::default(),
            unloading: tokio::sync::Mutex::default(),
            moving: tokio::sync::Mutex::default(),
            recovered: AtomicBool::new(false),
            device_id,
            version,
        })
    }

    /// Changes of projects and sessions, for host subscribers.
    pub fn host(&self) -> &HostFeed {
        &self.shared.host
    }

    /// The session's lane. Loads it if it is not in memory.
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
        // Loading recovers and therefore writes. In a task of its own it is never dropped half way
        // with a caller that gives up. The task is tracked: a turn that it begins is seen by those who wait
        // for the end of all work.
        let loading = self.shared.tasks.spawn(async move {
            let load = || async {
                sessions.make_room().await;
                sessions.with_room(|| sessions.load(id)).await
            };
            let loaded = slot.lane.get_or_try_init(load).await.cloned();
            if loaded.is_err() {
                sessions.forget_unloaded(id, slot);
            }
            loaded
        });
        joined(loading).await
    }

    async fn load(&self, id: SessionId) -> Result<Arc<Lane>, SessionError> {
        let seams = Arc::clone(&self.seams);
        let load = move |shared: &Arc<_>| Lane::load(Arc::clone(shared), id, seams);
        let loaded = self.on_disk(load).await?;
        if loaded.is_ok() {
            self.seams.features.iter().for_each(|it| it.loaded(id));
        }
        if let Err(SessionError::Failed { reason, .. }) = &loaded {
            self.shared.session_failed(id, reason);
        }
        loaded
    }

    fn slot(&self, id: SessionId) -> Arc<LaneSlot> {
        let new = || {
            Arc::new(LaneSlot {
                lane: OnceCell::new(),
                last_used: Leaf::new(Instant::now()),
            })
        };
        let slot = Arc::clone(self.loaded.lock().entry(id).or_insert_with(new));
        *slot.last_used.lock() = Instant::now();
        slot
    }

    /// Gives up the slot of a session that could not be loaded. Other callers that wait on the slot
    /// try again themselves, so only the last one removes it from the map.
    fn forget_unloaded(&self, id: SessionId, slot: Arc<LaneSlot>) {
        let mut loaded = self.loaded.lock();
        drop(slot);
        if loaded
            .get(&id)
            .is_some_and(|known| Arc::strong_count(known) == 1 && !known.lane.initialized())
        {
            loaded.remove(&id);
        }
    }

    /// Subscribes to a session's events, from a client's anchors on.
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

    /// One page of sessions, the most recently changed first.
    ///
    /// # Errors
    ///
    /// If the directory of sessions, or the trash, cannot be read.
    pub async fn list(&self, filter: ListFilter) -> Result<ListSessionsResult, SessionError> {
        if filter.deleted {
            return self
                .on_disk(move |shared| shared.trash.list(&filter))
                .await?;
        }
        self.shared.read_catalog().await?.list(&filter)
    }

    /// Returns whether a project has sessions.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn has_sessions(&self, project_id: ProjectId) -> Result<bool, SessionError> {
        Ok(self.shared.read_catalog().await?.has_sessions(project_id))
    }

    /// The sessions that were created for a task, by its id.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn by_task(&self) -> Result<HashMap<String, SessionId>, SessionError> {
        Ok(self.shared.read_catalog().await?.by_task())
    }

    /// The sessions that have given tasks to agents, of one project or of all.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn with_runtimes(
        &self,
        project_id: Option<ProjectId>,
    ) -> Result<Vec<SessionId>, SessionError> {
        Ok(self.shared.read_catalog().await?.with_runtimes(project_id))
    }

    /// The history of each agent's runtimes, of one project or of all, by the names of the agents.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn agents(
        &self,
        project_id: Option<ProjectId>,
    ) -> Result<BTreeMap<String, AgentHistory>, SessionError> {
        Ok(self.shared.read_catalog().await?.agents(project_id))
    }

    /// The session to be the orchestrator of a project that has none: of the user's sessions with the agent
    /// tools that are not archived, the one changed last.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn orchestrator(
        &self,
        project_id: ProjectId,
    ) -> Result<Option<SessionId>, SessionError> {
        Ok(self.shared.read_catalog().await?.orchestrator(project_id))
    }

    /// The session that was made for a task; `None` if it was deleted.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn for_task(&self, task_id: &str) -> Result<Option<Session>, SessionError> {
        Ok(self.shared.read_catalog().await?.for_task(task_id))
    }

    /// The session's lane, if it is in memory.
    pub fn loaded_lane(&self, id: SessionId) -> Option<Arc<Lane>> {
        let loaded = self.loaded.lock();
        loaded.get(&id)?.lane.get().cloned()
    }

    /// Ends what the tools of a session have running and open, as if it were deleted. Its next turn gets new
    /// ones.
    pub fn forget_tools(&self, id: SessionId) {
        // One that is not in memory has none.
        if let Some(lane) = self.loaded_lane(id) {
            lane.end_resources();
        }
    }

    /// The snapshot with which a host subscription begins.
    ///
    /// # Errors
    ///
    /// If the directory of sessions cannot be read.
    pub async fn snapshot(
        &self,
        read: impl FnOnce() -> (Vec<Project>, Vec<AgentTaskInfo>, Vec<ClientName>) + Send,
    ) -> Result<(u64, HostEvent), SessionError> {
        let catalog = self.shared.read_catalog().await?;
        // The version before what it covers: a change in between is sent twice, not lost.
        let version = self.shared.host.version();
        let (projects, runtimes, clients) = read();
        let filter = ListFilter {
            limit: SNAPSHOT_SESSIONS,
            ..ListFilter::default()
        };
        let page = catalog.list(&filter)?;
        let asked = self.questions(&QuestionFilter::default());
        Ok((
            version,
            HostEvent::Snapshot {
                version,
                projects,
                sessions: page.sessions,
                more: page.next_cursor.is_some(),
                runtimes,
                questions: asked.questions,
                questions_cursor: asked.next_cursor,
                clients,
            },
        ))
    }

    /// The session is gone.
    fn removed(&self, id: SessionId) {
        self.shared.session_removed(id);
        self.seams.features.iter().for_each(|it| it.removed(id));
    }

    pub fn loaded_count(&self) -> usize {
        self.loaded.lock().len()
    }

    /// Runs `work` on a blocking thread.
    async fn on_disk<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<LaneShared>) -> R + Send + 'static,
    ) -> Result<R, SessionError> {
        let shared = Arc::clone(&self.shared);
        blocking(move || work(&shared)).await
    }

    /// Runs `work`, once more if too many files were open.
    async fn with_room<F>(&self, work: impl Fn() -> F) -> Result<Arc<Lane>, SessionError>
    where
        F: Future<Output = Result<Arc<Lane>, SessionError>>,
    {
        match work().await {
            Err(SessionError::OutOfDescriptors(_)) => {
                self.relieve().await;
                work().await
            }
            done => done,
        }
    }

    fn lanes(&self) -> Vec<Arc<Lane>> {
        self.loaded
            .lock()
            .values()
            .filter_map(|slot| slot.lane.get().cloned())
            .collect()
    }
}

impl LaneSlot {
    fn last_used(&self) -> Instant {
        *self.last_used.lock()
    }
}

/// Runs work in a task of its own: it is completed even if the caller is dropped, as when a connection closes.
async fn in_task<R: Send + 'static>(
    work: impl Future<Output = Result<R, SessionError>> + Send + 'static,
) -> Result<R, SessionError> {
    joined(tokio::spawn(work)).await
}

async fn joined<R>(task: JoinHandle<Result<R, SessionError>>) -> Result<R, SessionError> {
    task.await
        .map_err(|error| SessionError::Internal(error.to_string()))?
}
