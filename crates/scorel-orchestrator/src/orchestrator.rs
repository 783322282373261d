mod counts;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use scorel_proto::{
    AgentTaskId, AgentTaskInfo, PersistentBody, PersistentEvent, ProjectId, Seq, SessionId,
};
use scorel_session::{Lane, MutationCommand, Sessions};
use tokio::time::Instant;

use crate::agents::{AgentHost, ProjectAgents};
use crate::child_state::ChildState;
use crate::claims::Claims;
use crate::due::DueSessions;
use crate::error::OrchestratorError;
use crate::open_counts::OpenCounts;
use crate::records::{AgentTaskPlaces, MoveAgentTasks, StopRuntime};
use crate::schedule::{Bucket, Places, Rules, Schedule, Task};
use crate::summaries::Summaries;
use crate::task_lane::TaskLane as _;
use crate::worktree_look::WorktreeLook;

/// The runtimes of all sessions, and the tasks that reconcile them.
pub struct Orchestrator {
    sessions: Arc<Sessions>,
    host: Arc<dyn AgentHost>,
    me: Weak<Self>,
    state: Mutex<OrchestratorState>,
    /// Held while counts are read and told: an older one must not be told last.
    telling: tokio::sync::Mutex<()>,
    /// Held while a task of a run is given: the next one counts it.
    pub(crate) giving: tokio::sync::Mutex<()>,
}

/// A leaf lock: no lane is used and nothing is waited for while it is held.
#[derive(Debug, Default)]
pub(crate) struct OrchestratorState {
    pub(crate) schedule: Schedule,
    /// The sessions of runtimes that have not ended, with the sessions that gave the tasks.
    pub(crate) children: HashMap<SessionId, SessionId>,
    /// The sessions that are being deleted with their runtimes.
    pub(crate) closing: HashSet<SessionId>,
    /// The looks at the worktrees of runtimes that end.
    pub(crate) looks: HashMap<AgentTaskId, WorktreeLook>,
    /// The runtimes whose worktrees are being made.
    pub(crate) making: HashSet<AgentTaskId>,
    /// The last events of the folds that the schedule was made from.
    refreshed: HashMap<SessionId, Seq>,
    /// The spawns that are being recorded, by the queue that they will wait in. The schedule learns of a
    /// runtime once it is durable; until then these count for the limit of a queue, so that it holds for
    /// spawns that come at the same time too.
    pub(crate) spawning: OpenCounts<Bucket>,
    /// The sessions with runtimes for which something is left to do.
    watched: HashSet<SessionId>,
    due: DueSessions,
    pub(crate) claims: Claims,
    /// The calls of `AgentStatus` in which the model of a session waits.
    pub(crate) waits: OpenCounts<SessionId>,
    pub(crate) summaries: Summaries,
    /// The numbers of the records that hold the prompts, for runtimes whose sessions have got them.
    pub(crate) prompts: HashMap<AgentTaskId, Seq>,
    /// When places were recorded last, by the session that has the record.
    pub(crate) placed: HashMap<SessionId, Instant>,
    /// What subscribers of the host feed were told last.
    told: HashMap<(ProjectId, String), (u32, u32, u32)>,
    /// True if every session with unfinished runtimes is known. Until then none begins.
    is_complete: bool,
}

impl std::fmt::Debug for Orchestrator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Orchestrator").finish_non_exhaustive()
    }
}

impl Orchestrator {
    /// Opens the sessions with `open`, which gets the orchestrator for their [`AgentTaskFeature`] and for
    /// tools. The sessions must not own it.
    ///
    /// [`AgentTaskFeature`]: crate::AgentTaskFeature
    pub fn new(
        host: Arc<dyn AgentHost>,
        open: impl FnOnce(&Weak<Self>) -> Arc<Sessions>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            sessions: open(me),
            host,
            me: Weak::clone(me),
            state: Mutex::default(),
            telling: tokio::sync::Mutex::default(),
            giving: tokio::sync::Mutex::default(),
        })
    }

    /// Lets runtimes begin. To be called once the sessions that the last daemon left with work are loaded:
    /// those that ran count, and an older one may wait in a session that is loaded last.
    pub fn start(&self) {
        self.state().is_complete = true;
        let parents = self.state().schedule.parents();
        for parent in parents {
            self.look_at(parent);
        }
    }

    /// The configuration or the order of a queue has changed: more may begin.
    pub fn rules_changed(&self) {
        if self.state().is_complete {
            self.start();
        }
    }

    /// The runtimes of all sessions that have not ended.
    pub fn open_runtimes(&self) -> Vec<AgentTaskInfo> {
        let open: Vec<(AgentTaskId, SessionId)> = {
            let state = self.state();
            let tasks = state.schedule.tasks();
            tasks.map(|(id, task)| (id, task.parent)).collect()
        };
        let info = |(id, parent)| self.sessions.loaded_lane(parent)?.runtime(id);
        open.into_iter().filter_map(info).collect()
    }

    /// Has a runtime end. `None` if it had ended.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`].
    pub async fn stop(
        &self,
        command: MutationCommand,
        id: AgentTaskId,
    ) -> Result<Option<Seq>, OrchestratorError> {
        let lane = self.parent_of(id).await?;
        Ok(lane.mutate(StopRuntime { command, id }).await?)
    }

    /// Moves a runtime that waits to another place of its queue, from 1.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`].
    pub async fn shift(
        &self,
        command: MutationCommand,
        id: AgentTaskId,
        position: u32,
    ) -> Result<Seq, OrchestratorError> {
        let lane = self.parent_of(id).await?;
        let rules = self.rules().await;
        // A repeated command may be older than another move.
        let before = match lane.receipt(&command)? {
            Some(_) => None,
            None => self.state().schedule.place_of(id, &rules),
        };
        // First, so that a look that records places meanwhile records these.
        if before.is_some() {
            self.state().schedule.shift(id, position, &rules);
        }
        let places = self.places_with(&rules, lane.id(), id);
        let moves = MoveAgentTasks {
            command,
            id,
            places,
        };
        let moved = lane.mutate(moves).await;
        if let (Err(_), Some(before)) = (&moved, before) {
            self.state().schedule.shift(id, before, &rules);
        }
        // Those of other sessions have moved too.
        self.rules_changed();
        Ok(moved?)
    }

    /// The places of a session's runtimes in the queue of `id`.
    fn places_with(&self, rules: &Rules, parent: SessionId, id: AgentTaskId) -> AgentTaskPlaces {
        let state = self.state();
        let places = state.schedule.places(rules);
        let mut queues = places.iter().filter(|(_, queue)| queue.contains(&id));
        let own = queues.find_map(|queue| own_places(queue, &state.schedule, parent));
        own.unwrap_or_default()
    }

    /// The lane of the session that has given a runtime its task.
    pub(crate) async fn parent_of(&self, id: AgentTaskId) -> Result<Arc<Lane>, OrchestratorError> {
        let known = self.state().schedule.task(id).map(|task| task.parent);
        match known {
            Some(parent) => Ok(self.sessions.get(parent).await?),
            None => self.past_parent(id).await,
        }
    }

    /// Itself, for tasks that outlive the caller. `None` while the daemon stops.
    pub(crate) fn handle(&self) -> Option<Arc<Self>> {
        self.me.upgrade()
    }

    /// All sessions of the daemon.
    pub const fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// The configuration that it works by.
    pub fn host(&self) -> &Arc<dyn AgentHost> {
        &self.host
    }

    /// For tools, which hold it.
    pub(crate) fn itself(&self) -> Weak<Self> {
        Weak::clone(&self.me)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, OrchestratorState> {
        // Poisoning can be ignored: each change is one step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agents as a project sees them now. Reads files.
    pub(crate) async fn agents(&self, project_id: ProjectId) -> ProjectAgents {
        let host = Arc::clone(&self.host);
        let read = scorel_engine::spawn_blocking(move || host.agents(Some(project_id)));
        // Fails only while the daemon stops: then nothing begins.
        read.await.unwrap_or_default()
    }

    /// The configuration of the projects that have runtimes.
    pub(crate) async fn rules(&self) -> Rules {
        let projects = self.state().schedule.projects();
        let mut rules = Rules::new();
        for project in projects {
            rules.insert(project, self.agents(project).await);
        }
        rules
    }

    /// Looks after the runtimes of a session, in a task of its own.
    pub(crate) fn look_at(&self, parent: SessionId) {
        if self.state().due.add(parent) {
            self.spawn_look(parent);
        }
    }

    fn spawn_look(&self, parent: SessionId) {
        let Some(me) = self.me.upgrade() else { return };
        tokio::spawn(async move {
            while me.state().due.begin(parent) {
                me.reconcile(parent).await;
            }
        });
    }

    /// Looks after the runtimes of a session in a while.
    pub(crate) fn look_at_later(&self, parent: SessionId, after: Duration) {
        let at = Instant::now() + after;
        if !self.state().due.add_later(parent, at) {
            return;
        }
        let me = Weak::clone(&self.me);
        tokio::spawn(async move {
            tokio::time::sleep_until(at).await;
            if let Some(me) = me.upgrade() {
                me.state().due.later_is_now(parent);
                me.look_at(parent);
            }
        });
    }

    /// Watches a session from now on, or no more. Returns whether it was watched.
    pub(crate) fn watch(&self, parent: SessionId, is_watched: bool) -> bool {
        let mut state = self.state();
        if is_watched {
            return !state.watched.insert(parent);
        }
        state.placed.remove(&parent);
        state.watched.remove(&parent)
    }

    /// Replaces the unfinished runtimes of a session by those of its fold as of `seq`. Reconciling and
    /// spawning may call this concurrently; the older fold is dropped.
    pub(crate) fn refresh(&self, parent: SessionId, seq: Seq, tasks: Vec<(AgentTaskId, Task)>) {
        let mut state = self.state();
        let known = state.refreshed.entry(parent).or_default();
        if seq < *known {
            return;
        }
        *known = seq;
        state.children.retain(|_, known| *known != parent);
        for (_, task) in &tasks {
            if let Some(child) = task.session_id {
                state.children.insert(child, parent);
            }
        }
        state.schedule.refresh(parent, tasks);
    }

    /// Admits the runtimes that may start, and reconciles the sessions whose runtimes were admitted or
    /// moved in their queue.
    pub(crate) async fn admit(&self, rules: &Rules) {
        if !self.state().is_complete {
            return;
        }
        self.note_resting();
        let (admitted, moved) = {
            let mut state = self.state();
            let admitted = state.schedule.admit(rules);
            let places = state.schedule.places(rules);
            (admitted, with_other_places(&places, &state.schedule))
        };
        for parent in admitted.iter().chain(moved.difference(&admitted)) {
            self.look_at(*parent);
        }
        self.tell_counts(rules).await;
    }

    /// Looks which agents only wait for runtimes of their own: their sessions are idle, or in a call of
    /// `AgentStatus` that waits.
    fn note_resting(&self) {
        let delegating = self.state().schedule.delegating();
        if delegating.is_empty() {
            return;
        }
        // A session that is not loaded does nothing.
        let is_idle = |id: &SessionId| {
            let lane = self.sessions.loaded_lane(*id);
            lane.is_none_or(|lane| ChildState::of(&lane).is_idle)
        };
        let idle: BTreeSet<SessionId> = delegating.iter().copied().filter(is_idle).collect();
        let mut state = self.state();
        let rests = |id: &SessionId| idle.contains(id) || state.waits.of(id) > 0;
        let resting = delegating.into_iter().filter(rests).collect();
        state.schedule.set_resting(resting);
    }

    /// The places of a session's runtimes, by queue.
    pub(crate) fn places_of(&self, parent: SessionId, rules: &Rules) -> Vec<AgentTaskPlaces> {
        let state = self.state();
        let places = state.schedule.places(rules);
        let own = |queue| own_places(queue, &state.schedule, parent);
        places.iter().filter_map(own).collect()
    }

    /// Has a change of the state undone when the result is dropped.
    pub(crate) fn undo_later(
        &self,
        undo: impl FnMut(&mut OrchestratorState) + Send + 'static,
    ) -> Undo<'_> {
        Undo {
            orchestrator: self,
            undo: Box::new(undo),
        }
    }
}

/// See [`Orchestrator::undo_later`].
pub(crate) struct Undo<'a> {
    orchestrator: &'a Orchestrator,
    undo: Box<dyn FnMut(&mut OrchestratorState) + Send>,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        (self.undo)(&mut self.orchestrator.state());
    }
}

/// The places of the runtimes of `parent` in a queue; `None` if none of them waits there.
fn own_places(
    (bucket, queue): (&Bucket, &Vec<AgentTaskId>),
    schedule: &Schedule,
    parent: SessionId,
) -> Option<AgentTaskPlaces> {
    let own = (1_u32..).zip(queue).filter(|(_, id)| {
        let task = schedule.task(**id);
        task.is_some_and(|task| task.parent == parent)
    });
    let places: BTreeMap<AgentTaskId, u32> = own.map(|(place, id)| (*id, place)).collect();
    (!places.is_empty()).then(|| AgentTaskPlaces {
        agent_type: bucket.agent_type.clone(),
        queued: u32::try_from(queue.len()).unwrap_or(u32::MAX),
        places,
    })
}

/// The sessions with runtimes whose place is another one than they were told.
fn with_other_places(places: &Places, schedule: &Schedule) -> BTreeSet<SessionId> {
    let placed = places.values().flat_map(|queue| (1_u32..).zip(queue));
    let moved = placed.filter_map(|(place, id)| {
        let task = schedule.task(*id)?;
        (task.position != Some(place)).then_some(task.parent)
    });
    moved.collect()
}

/// Notices of the sessions.
impl Orchestrator {
    pub(crate) fn committed(&self, event: &PersistentEvent) {
        let session_id = event.session_id;
        let (owner, is_parent) = {
            let mut state = self.state();
            if let PersistentBody::RuntimeFinished(body) = &event.body {
                // Not left to the next look: an answer until then would count it twice.
                state.schedule.remove(body.stamp.runtime_id);
            }
            let owner = state.children.get(&session_id).copied();
            (owner, state.watched.contains(&session_id))
        };
        if is_parent || is_about_runtime(&event.body) {
            self.look_at(session_id);
        }
        if let Some(parent) = owner {
            self.look_at(parent);
        }
    }

    pub(crate) fn removed(&self, session_id: SessionId) {
        let owner = {
            let mut state = self.state();
            state.schedule.forget(session_id);
            state.claims.forget(session_id);
            state.refreshed.remove(&session_id);
            state.watched.remove(&session_id);
            state.children.remove(&session_id)
        };
        if let Some(parent) = owner {
            self.look_at(parent);
        }
    }
}

const fn is_about_runtime(body: &PersistentBody) -> bool {
    matches!(
        body,
        PersistentBody::RuntimeSpawned(_)
            | PersistentBody::RuntimeBoundSession(_)
            | PersistentBody::RuntimeStatusChanged(_)
            | PersistentBody::RuntimeFinished(_)
    )
}
