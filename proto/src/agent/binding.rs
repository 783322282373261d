use std::collections::{BTreeMap, BTreeSet};

use crate::{HostEvent, RuntimeId, RuntimeInfo, RuntimeStatus, SessionId};

/// Which session a client shows and writes to: that of an orchestrator, or that of one of its runtimes.
///
/// In: what the user selects, and events of the host feed. Out: the session that messages go to. Every
/// client keeps its own; the daemon has no part in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    orchestrator: SessionId,
    selected: BoundContext,
    /// The runtimes that have not ended, with their sessions.
    open: BTreeMap<RuntimeId, OpenContext>,
    /// The runtimes that have ended, so that late events about them do not bring them back.
    ended: BTreeSet<RuntimeId>,
    /// The runtimes that a snapshot lacked, with the version known then: a newer one brings them back.
    missing: BTreeMap<RuntimeId, u64>,
}

/// What a client shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundContext {
    /// The orchestrator's session.
    Orchestrator,
    /// The session of a runtime.
    Runtime(RuntimeId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenContext {
    session_id: Option<SessionId>,
    version: u64,
}

impl Binding {
    /// Shows the orchestrator.
    #[must_use]
    pub const fn new(orchestrator: SessionId) -> Self {
        Self {
            orchestrator,
            selected: BoundContext::Orchestrator,
            open: BTreeMap::new(),
            ended: BTreeSet::new(),
            missing: BTreeMap::new(),
        }
    }

    /// The selected context.
    #[must_use]
    pub const fn selected(&self) -> BoundContext {
        self.selected
    }

    /// The session that messages go to.
    #[must_use]
    pub fn session(&self) -> SessionId {
        match self.selected {
            BoundContext::Orchestrator => self.orchestrator,
            BoundContext::Runtime(id) => {
                let open = self.open.get(&id);
                open.and_then(|open| open.session_id)
                    .unwrap_or(self.orchestrator)
            }
        }
    }

    /// Selects a runtime. Returns whether that is possible: it has a session and has not ended. An ended
    /// runtime is history, which is read without being selected.
    pub fn select(&mut self, id: RuntimeId) -> bool {
        let has_session = self
            .open
            .get(&id)
            .is_some_and(|open| open.session_id.is_some());
        if has_session {
            self.selected = BoundContext::Runtime(id);
        }
        has_session
    }

    /// Shows the orchestrator.
    pub const fn select_orchestrator(&mut self) {
        self.selected = BoundContext::Orchestrator;
    }

    /// Applies an event. The end of the selected runtime, or of its session, selects the orchestrator.
    pub fn apply(&mut self, event: &HostEvent) {
        match event {
            HostEvent::Snapshot { runtimes, .. } => {
                let told: BTreeSet<_> = runtimes.iter().map(|it| it.runtime_id).collect();
                // One that is not there may have ended, or be one that the daemon has not read yet.
                let missing = self.open.iter().filter(|(id, _)| !told.contains(id));
                self.missing
                    .extend(missing.map(|(id, open)| (*id, open.version)));
                self.open.retain(|id, _| told.contains(id));
                for runtime in runtimes {
                    self.changed(runtime);
                }
            }
            HostEvent::RuntimeChanged { runtime, .. } => self.changed(runtime),
            HostEvent::SessionRemoved { session_id, .. } => {
                self.end(|_, open| open.session_id == Some(*session_id));
            }
            _ => {}
        }
        if let BoundContext::Runtime(id) = self.selected
            && !self.open.contains_key(&id)
        {
            self.selected = BoundContext::Orchestrator;
        }
    }

    fn end(&mut self, has_ended: impl Fn(RuntimeId, &OpenContext) -> bool) {
        let ended = &mut self.ended;
        self.open.retain(|id, open| {
            let ends = has_ended(*id, open);
            if ends {
                ended.insert(*id);
            }
            !ends
        });
    }

    fn changed(&mut self, runtime: &RuntimeInfo) {
        if runtime.parent_session_id != self.orchestrator {
            return;
        }
        let id = runtime.runtime_id;
        if RuntimeStatus::is_final(runtime.status) {
            self.open.remove(&id);
            self.ended.insert(id);
        }
        let is_known = |known: &u64| runtime.version <= *known;
        if self.ended.contains(&id) || self.missing.get(&id).is_some_and(is_known) {
            return;
        }
        let is_newer = |open: &OpenContext| runtime.version >= open.version;
        if self.open.get(&id).is_none_or(is_newer) {
            let open = OpenContext {
                session_id: runtime.session_id,
                version: runtime.version,
            };
            self.open.insert(id, open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CostTotal, ProjectId, ResultDelivery, Usage};

    fn info(parent: SessionId, id: RuntimeId, session: Option<SessionId>) -> RuntimeInfo {
        RuntimeInfo {
            runtime_id: id,
            version: 1,
            parent_session_id: parent,
            project_id: ProjectId::generate(),
            agent_type: "reviewer".to_owned(),
            session_id: session,
            workflow_id: None,
            title: "look".to_owned(),
            status: RuntimeStatus::Running,
            stopping: false,
            queue_position: None,
            queued_count: None,
            summary: None,
            waiting_for: None,
            deliver: ResultDelivery::Turn,
            started_at: 1,
            ended_at: None,
            usage: Usage::default(),
            cost: CostTotal::default(),
        }
    }

    fn changed(runtime: RuntimeInfo) -> HostEvent {
        HostEvent::RuntimeChanged {
            version: 1,
            runtime: Box::new(runtime),
        }
    }

    #[test]
    fn a_selected_runtime_gets_the_messages_until_it_ends() {
        let (parent, child) = (SessionId::generate(), SessionId::generate());
        let id = RuntimeId::generate();
        let mut binding = Binding::new(parent);
        assert_eq!(binding.session(), parent);
        assert!(!binding.select(id), "it is not known");
        binding.apply(&changed(info(parent, id, None)));
        assert!(!binding.select(id), "it has no session");
        binding.apply(&changed(info(parent, id, Some(child))));
        assert!(binding.select(id));
        assert_eq!(binding.session(), child);
        let ended = RuntimeInfo {
            version: 2,
            status: RuntimeStatus::Completed,
            ..info(parent, id, Some(child))
        };
        binding.apply(&changed(ended));
        assert_eq!(binding.selected(), BoundContext::Orchestrator);
        assert_eq!(binding.session(), parent);
        assert!(!binding.select(id), "history selects nothing");
    }

    fn snapshot(runtimes: Vec<RuntimeInfo>) -> HostEvent {
        HostEvent::Snapshot {
            version: 1,
            projects: Vec::new(),
            sessions: Vec::new(),
            more: false,
            runtimes,
        }
    }

    /// A binding that shows a runtime, which is at version 2.
    fn selected() -> (Binding, RuntimeInfo) {
        let parent = SessionId::generate();
        let mut binding = Binding::new(parent);
        let runtime = RuntimeInfo {
            version: 2,
            ..info(parent, RuntimeId::generate(), Some(SessionId::generate()))
        };
        binding.apply(&changed(runtime.clone()));
        assert!(binding.select(runtime.runtime_id));
        (binding, runtime)
    }

    #[test]
    fn a_snapshot_without_the_selected_runtime_shows_the_orchestrator() {
        let (mut binding, runtime) = selected();
        let child = runtime.session_id.expect("it has one");
        binding.apply(&snapshot(vec![runtime.clone()]));
        assert_eq!(binding.session(), child);
        let other = info(runtime.parent_session_id, RuntimeId::generate(), None);
        binding.apply(&snapshot(vec![other]));
        assert_eq!(binding.selected(), BoundContext::Orchestrator);
        assert_eq!(binding.session(), runtime.parent_session_id);
        // An event from before the snapshot arrives after it.
        binding.apply(&changed(runtime.clone()));
        assert!(!binding.select(runtime.runtime_id));
        // The daemon had not read it yet.
        let newer = RuntimeInfo {
            version: 3,
            ..runtime
        };
        binding.apply(&changed(newer.clone()));
        assert!(binding.select(newer.runtime_id));
    }

    #[test]
    fn an_older_version_that_comes_late_changes_nothing() {
        let (mut binding, runtime) = selected();
        let late = RuntimeInfo {
            version: 1,
            session_id: None,
            ..runtime.clone()
        };
        let before = binding.clone();
        binding.apply(&changed(late.clone()));
        assert_eq!(binding, before);
        binding.apply(&changed(RuntimeInfo {
            version: 3,
            status: RuntimeStatus::Failed,
            ..runtime.clone()
        }));
        let ended = binding.clone();
        binding.apply(&changed(late));
        binding.apply(&changed(runtime.clone()));
        assert_eq!(binding, ended);
        assert!(!binding.select(runtime.runtime_id), "it has ended");
    }

    #[test]
    fn a_runtime_is_selectable_once_its_session_exists() {
        let parent = SessionId::generate();
        let id = RuntimeId::generate();
        let mut binding = Binding::new(parent);
        binding.apply(&snapshot(vec![info(parent, id, None)]));
        assert!(!binding.select(id));
        assert_eq!(binding.session(), parent);
        let child = SessionId::generate();
        binding.apply(&changed(RuntimeInfo {
            version: 2,
            ..info(parent, id, Some(child))
        }));
        assert_eq!(binding.session(), parent, "nothing is selected by itself");
        assert!(binding.select(id));
        assert_eq!(binding.session(), child);
        binding.select_orchestrator();
        assert_eq!(binding.session(), parent);
    }

    #[test]
    fn runtimes_of_others_and_a_deleted_session_are_not_shown() {
        let (parent, child) = (SessionId::generate(), SessionId::generate());
        let id = RuntimeId::generate();
        let mut binding = Binding::new(parent);
        binding.apply(&changed(info(SessionId::generate(), id, Some(child))));
        assert!(!binding.select(id));
        binding.apply(&changed(info(parent, id, Some(child))));
        assert!(binding.select(id));
        binding.apply(&HostEvent::SessionRemoved {
            version: 2,
            session_id: child,
        });
        assert_eq!(binding.session(), parent);
    }
}
