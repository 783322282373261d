use std::collections::VecDeque;

use bytes::Bytes;
use scorel_proto::{
    AgentInfo, AgentTaskInfo, ClientName, HostEvent, OpenQuestion, PermissionAnswer,
    PermissionRequestId, Project, ProjectId, Session, SessionId,
};
use tokio::sync::watch;

use crate::locks::Leaf;

/// How many changes, and how many bytes of them, are kept for subscribers that are behind.
const KEPT: usize = 512;
const KEPT_BYTES: usize = 2 * 1024 * 1024;

/// Publishes changes of projects and sessions to host subscribers.
///
/// Each change has a version. A subscriber that fell behind the kept changes gets a new snapshot.
#[derive(Debug)]
pub struct HostFeed {
    recent: Leaf<RecentChanges>,
    version: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct RecentChanges {
    version: u64,
    changes: VecDeque<(u64, Bytes)>,
    bytes: usize,
}

impl RecentChanges {
    /// The last change is kept, however large.
    fn push(&mut self, version: u64, json: Bytes) {
        self.version = version;
        self.bytes += json.len();
        self.changes.push_back((version, json));
        while self.changes.len() > KEPT || (self.bytes > KEPT_BYTES && self.changes.len() > 1) {
            if let Some((_, json)) = self.changes.pop_front() {
                self.bytes -= json.len();
            }
        }
    }
}

/// Some of the requested changes are no longer kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostFeedGap;

impl HostFeed {
    pub fn new() -> Self {
        Self {
            recent: Leaf::default(),
            version: watch::Sender::new(0),
        }
    }

    /// The version of the last change.
    pub fn version(&self) -> u64 {
        self.recent.lock().version
    }

    pub fn watch(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The changes after `version`, each with its version and its JSON.
    ///
    /// # Errors
    ///
    /// [`HostFeedGap`] if some of them are no longer kept.
    pub fn after(&self, version: u64) -> Result<Vec<(u64, Bytes)>, HostFeedGap> {
        let recent = self.recent.lock();
        let first_kept = recent
            .changes
            .front()
            .map_or(recent.version + 1, |(number, _)| *number);
        if version + 1 < first_kept {
            return Err(HostFeedGap);
        }
        let start = recent
            .changes
            .partition_point(|(number, _)| *number <= version);
        Ok(recent.changes.range(start..).cloned().collect())
    }

    pub fn project_added(&self, project: &Project) {
        let project = project.clone();
        self.publish(|version| HostEvent::ProjectAdded { version, project });
    }

    pub fn project_changed(&self, project: &Project) {
        let project = project.clone();
        self.publish(|version| HostEvent::ProjectChanged { version, project });
    }

    pub fn project_removed(&self, project_id: ProjectId) {
        self.publish(|version| HostEvent::ProjectRemoved {
            version,
            project_id,
        });
    }

    /// A session was created or has changed.
    pub fn session_changed(&self, session: Session) {
        let session = Box::new(session);
        self.publish(|version| HostEvent::SessionChanged { version, session });
    }

    /// A runtime was spawned or has changed.
    pub fn runtime_changed(&self, runtime: AgentTaskInfo) {
        let runtime = Box::new(runtime);
        self.publish(|version| HostEvent::AgentTaskChanged { version, runtime });
    }

    /// An agent has changed; in one project if `project_id` is given.
    pub fn agent_changed(&self, project_id: Option<ProjectId>, agent: AgentInfo) {
        let agent = Box::new(agent);
        self.publish(|version| HostEvent::AgentChanged {
            version,
            project_id,
            agent,
        });
    }

    /// A client has a name, or another one; `clients` are all that have one.
    pub fn client_changed(&self, clients: Vec<ClientName>) {
        self.publish(|version| HostEvent::ClientChanged { version, clients });
    }

    pub fn question_opened(&self, question: OpenQuestion) {
        let question = Box::new(question);
        self.publish(|version| HostEvent::QuestionOpened { version, question });
    }

    pub fn question_closed(
        &self,
        session_id: SessionId,
        request_id: PermissionRequestId,
        answer: Option<PermissionAnswer>,
    ) {
        self.publish(|version| HostEvent::QuestionClosed {
            version,
            session_id,
            request_id,
            answer,
        });
    }

    pub fn session_removed(&self, session_id: SessionId) {
        self.publish(|version| HostEvent::SessionRemoved {
            version,
            session_id,
        });
    }

    /// Publishes the event that is made for the version that it gets.
    pub fn publish(&self, event: impl FnOnce(u64) -> HostEvent) {
        let mut recent = self.recent.lock();
        let version = recent.version + 1;
        let Ok(json) = serde_json::to_vec(&event(version)) else {
            return;
        };
        recent.push(version, Bytes::from(json));
        // Under the lock: two publishers in another order would set the watched version back.
        self.version.send_replace(version);
    }
}

impl Default for HostFeed {
    fn default() -> Self {
        Self::new()
    }
}
