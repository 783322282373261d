use std::collections::{BTreeMap, BTreeSet};

use crate::{
    AgentTaskId, AgentTaskInfo, AgentTaskStatus, HostEvent, Project, ProjectId, SessionId,
};

/// The session of a project that a client shows and writes to: that of its orchestrator, or that of a runtime,
/// at any depth.
///
/// In: what the user selects, and events of the host feed. Out: the session that messages go to. Every
/// client keeps its own; the daemon has no part in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    project: ProjectId,
    orchestrator: Option<SessionId>,
    /// The version of the event that says so.
    orchestrator_version: u64,
    selected: BoundContext,
    /// The runtimes that have not ended, with their sessions.
    open: BTreeMap<AgentTaskId, OpenContext>,
    /// The runtimes that have ended, so that late events about them do not bring them back.
    ended: BTreeSet<AgentTaskId>,
    /// The runtimes that a snapshot lacked, with the version known then: a newer one brings them back.
    missing: BTreeMap<AgentTaskId, u64>,
}

/// The contexts that a client shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundContext {
    /// The orchestrator's session.
    Orchestrator,
    /// The session of a runtime.
    Runtime(AgentTaskId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenContext {
    session_id: Option<SessionId>,
    version: u64,
}

impl Binding {
    /// Shows the orchestrator of a project.
    pub const fn new(project: ProjectId) -> Self {
        Self {
            project,
            orchestrator: None,
            orchestrator_version: 0,
            selected: BoundContext::Orchestrator,
            open: BTreeMap::new(),
            ended: BTreeSet::new(),
            missing: BTreeMap::new(),
        }
    }

    /// The selected context.
    pub const fn selected(&self) -> BoundContext {
        self.selected
    }

    /// The session that messages go to. `None` if that is the orchestrator and the project has none: a client
    /// shows an empty one, and calls `openOrchestrator` with the first message.
    pub fn session(&self) -> Option<SessionId> {
        match self.selected {
            BoundContext::Orchestrator => self.orchestrator,
            BoundContext::Runtime(id) => {
                let open = self.open.get(&id);
                open.and_then(|open| open.session_id).or(self.orchestrator)
            }
        }
    }

    /// Selects a runtime. Returns whether that is possible: it has a session and has not ended. An ended
    /// runtime is history, which is read without being selected.
    pub fn select(&mut self, id: AgentTaskId) -> bool {
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
            HostEvent::Snapshot {
                version,
                projects,
                runtimes,
                ..
            } => {
                for project in projects {
                    self.described(*version, project);
                }
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
            HostEvent::AgentTaskChanged { runtime, .. } => self.changed(runtime),
            HostEvent::ProjectAdded { version, project }
            | HostEvent::ProjectChanged { version, project } => self.described(*version, project),
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

    fn described(&mut self, version: u64, project: &Project) {
        if project.project_id == self.project && version >= self.orchestrator_version {
            self.orchestrator = project.orchestrator_session_id;
            self.orchestrator_version = version;
        }
    }

    fn end(&mut self, has_ended: impl Fn(AgentTaskId, &OpenContext) -> bool) {
        let ended = &mut self.ended;
        self.open.retain(|id, open| {
            let ends = has_ended(*id, open);
            if ends {
                ended.insert(*id);
            }
            !ends
        });
    }

    fn changed(&mut self, runtime: &AgentTaskInfo) {
        if runtime.project_id != self.project {
            return;
        }
        let id = runtime.runtime_id;
        if AgentTaskStatus::is_final(runtime.status) {
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
                session_id: runtime.session_id.filter(|_| runtime.bound),
                version: runtime.version,
            };
            self.open.insert(id, open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CostTotal, ResultDelivery, Usage};

    fn info(project: ProjectId, id: AgentTaskId, session: SessionId) -> AgentTaskInfo {
        AgentTaskInfo {
            runtime_id: id,
            version: 1,
            parent_session_id: SessionId::generate(),
            project_id: project,
            agent_type: "reviewer".to_owned(),
            session_id: Some(session),
            bound: true,
            workflow_id: None,
            title: "look".to_owned(),
            status: AgentTaskStatus::Running,
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

    fn changed(runtime: AgentTaskInfo) -> HostEvent {
        HostEvent::AgentTaskChanged {
            version: 1,
            runtime: Box::new(runtime),
        }
    }

    fn project(id: ProjectId, orchestrator: Option<SessionId>) -> Project {
        Project {
            project_id: id,
            display_name: "p".to_owned(),
            work_dir: "/p".to_owned(),
            created_at: 1,
            updated_at: 1,
            orchestrator_session_id: orchestrator,
        }
    }

    fn snapshot(projects: Vec<Project>, runtimes: Vec<AgentTaskInfo>) -> HostEvent {
        HostEvent::Snapshot {
            version: 1,
            projects,
            sessions: Vec::new(),
            more: false,
            runtimes,
            questions: Vec::new(),
            questions_cursor: None,
            clients: Vec::new(),
        }
    }

    /// A binding that shows a runtime, which is at version 2, and the session of its orchestrator.
    fn selected() -> (Binding, AgentTaskInfo, SessionId) {
        let (id, orchestrator) = (ProjectId::generate(), SessionId::generate());
        let mut binding = Binding::new(id);
        binding.apply(&snapshot(vec![project(id, Some(orchestrator))], Vec::new()));
        let runtime = AgentTaskInfo {
            version: 2,
            ..info(id, AgentTaskId::generate(), SessionId::generate())
        };
        binding.apply(&changed(runtime.clone()));
        assert!(binding.select(runtime.runtime_id));
        (binding, runtime, orchestrator)
    }

    #[test]
    fn a_selected_runtime_gets_the_messages_until_it_ends() {
        let (mut binding, runtime, orchestrator) = selected();
        assert_eq!(binding.session(), runtime.session_id);
        binding.select_orchestrator();
        assert_eq!(binding.session(), Some(orchestrator));
        let id = runtime.runtime_id;
        assert!(binding.select(id));
        binding.apply(&changed(AgentTaskInfo {
            version: 3,
            status: AgentTaskStatus::Completed,
            ..runtime
        }));
        assert_eq!(binding.selected(), BoundContext::Orchestrator);
        assert_eq!(binding.session(), Some(orchestrator));
        assert!(!binding.select(id), "history selects nothing");
        assert!(!binding.select(AgentTaskId::generate()), "it is not known");
    }

    #[test]
    fn a_project_gets_and_loses_its_orchestrator() {
        let (id, orchestrator) = (ProjectId::generate(), SessionId::generate());
        let mut binding = Binding::new(id);
        let told = |version, project| HostEvent::ProjectChanged { version, project };
        binding.apply(&snapshot(vec![project(id, None)], Vec::new()));
        assert_eq!(binding.session(), None);
        binding.apply(&told(3, project(id, Some(orchestrator))));
        binding.apply(&told(2, project(id, None)));
        assert_eq!(
            binding.session(),
            Some(orchestrator),
            "an older event came late"
        );
        binding.apply(&told(4, project(ProjectId::generate(), None)));
        assert_eq!(binding.session(), Some(orchestrator), "another project");
        binding.apply(&told(5, project(id, None)));
        assert_eq!(binding.session(), None);
    }

    #[test]
    fn a_snapshot_without_the_selected_runtime_shows_the_orchestrator() {
        let (mut binding, runtime, orchestrator) = selected();
        let projects = vec![project(runtime.project_id, Some(orchestrator))];
        binding.apply(&snapshot(projects.clone(), vec![runtime.clone()]));
        assert_eq!(binding.session(), runtime.session_id);
        let other = info(
            runtime.project_id,
            AgentTaskId::generate(),
            SessionId::generate(),
        );
        binding.apply(&snapshot(projects, vec![other]));
        assert_eq!(binding.selected(), BoundContext::Orchestrator);
        assert_eq!(binding.session(), Some(orchestrator));
        // An event from before the snapshot arrives after it.
        binding.apply(&changed(runtime.clone()));
        assert!(!binding.select(runtime.runtime_id));
        // The daemon had not read it yet.
        let newer = AgentTaskInfo {
            version: 3,
            ..runtime
        };
        binding.apply(&changed(newer.clone()));
        assert!(binding.select(newer.runtime_id));
    }

    #[test]
    fn an_older_version_that_comes_late_changes_nothing() {
        let (mut binding, runtime, _) = selected();
        let late = AgentTaskInfo {
            version: 1,
            bound: false,
            ..runtime.clone()
        };
        let before = binding.clone();
        binding.apply(&changed(late.clone()));
        assert_eq!(binding, before);
        binding.apply(&changed(AgentTaskInfo {
            version: 3,
            status: AgentTaskStatus::Failed,
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
        let (project, child) = (ProjectId::generate(), SessionId::generate());
        let id = AgentTaskId::generate();
        let mut binding = Binding::new(project);
        let unbound = AgentTaskInfo {
            bound: false,
            ..info(project, id, child)
        };
        binding.apply(&snapshot(Vec::new(), vec![unbound]));
        assert!(!binding.select(id));
        binding.apply(&changed(AgentTaskInfo {
            version: 2,
            ..info(project, id, child)
        }));
        assert_eq!(binding.session(), None, "nothing is selected by itself");
        assert!(binding.select(id));
        assert_eq!(binding.session(), Some(child));
    }

    #[test]
    fn runtimes_of_other_projects_and_a_deleted_session_are_not_shown() {
        let (mut binding, runtime, orchestrator) = selected();
        let other = info(
            ProjectId::generate(),
            AgentTaskId::generate(),
            SessionId::generate(),
        );
        binding.apply(&changed(other.clone()));
        assert!(!binding.select(other.runtime_id));
        binding.apply(&HostEvent::SessionRemoved {
            version: 2,
            session_id: runtime.session_id.expect("it has one"),
        });
        assert_eq!(binding.session(), Some(orchestrator));
    }
}
