//! What the daemon tells of itself, folded.

use std::collections::BTreeMap;

use scorel_proto::{
    AgentTaskId, AgentTaskInfo, AgentTaskStatus, ClientId, ClientName, HostEvent, OpenQuestion,
    PermissionAnswer, PermissionRequestId, Project, Session,
};

/// The state of the daemon, as far as this program shows it.
#[derive(Debug, Default)]
pub(crate) struct HostState {
    pub(crate) projects: Vec<Project>,
    /// Those that have not ended.
    pub(crate) runtimes: BTreeMap<AgentTaskId, AgentTaskInfo>,
    /// The oldest first.
    pub(crate) questions: Vec<OpenQuestion>,
    clients: Vec<ClientName>,
    /// Unset while the connection is lost: questions may have been answered.
    pub(crate) is_live: bool,
}

/// The meaning of a daemon's event for a screen.
#[derive(Debug)]
pub(crate) enum HostNews {
    None,
    /// More questions are to be listed, from this cursor on.
    MoreQuestions(PermissionRequestId),
    Opened,
    Closed(PermissionRequestId, Option<PermissionAnswer>),
    Session(Box<Session>),
    /// A sentence for the user.
    Said(String),
}

impl HostState {
    pub(crate) fn apply(&mut self, event: HostEvent) -> HostNews {
        match event {
            HostEvent::Snapshot {
                projects,
                runtimes,
                questions,
                questions_cursor,
                clients,
                ..
            } => {
                self.projects = projects;
                self.runtimes.clear();
                runtimes
                    .into_iter()
                    .for_each(|runtime| self.runtime(runtime));
                self.questions = questions;
                self.clients = clients;
                self.is_live = true;
                questions_cursor.map_or(HostNews::Opened, HostNews::MoreQuestions)
            }
            HostEvent::ProjectAdded { project, .. } | HostEvent::ProjectChanged { project, .. } => {
                self.projects
                    .retain(|known| known.project_id != project.project_id);
                self.projects.push(project);
                HostNews::None
            }
            HostEvent::ProjectRemoved { project_id, .. } => {
                self.projects.retain(|known| known.project_id != project_id);
                HostNews::None
            }
            HostEvent::SessionChanged { session, .. } => HostNews::Session(session),
            HostEvent::AgentTaskChanged { runtime, .. } => {
                self.runtime(*runtime);
                HostNews::None
            }
            HostEvent::ClientChanged { clients, .. } => {
                self.clients = clients;
                HostNews::None
            }
            HostEvent::QuestionOpened { question, .. } => {
                self.opened([*question]);
                HostNews::Opened
            }
            HostEvent::QuestionClosed {
                request_id, answer, ..
            } => {
                self.closed(request_id);
                HostNews::Closed(request_id, answer)
            }
            HostEvent::SessionRemoved { session_id, .. } => {
                self.questions
                    .retain(|question| question.session_id != session_id);
                HostNews::None
            }
            HostEvent::ConfigInvalid { path, message, .. } => HostNews::Said(format!(
                "the configuration from before stays in use, since {path} is invalid: {message}"
            )),
            HostEvent::AgentChanged { .. } | HostEvent::ConfigChanged { .. } => HostNews::None,
        }
    }

    fn runtime(&mut self, runtime: AgentTaskInfo) {
        if AgentTaskStatus::is_final(runtime.status) {
            self.runtimes.remove(&runtime.runtime_id);
        } else {
            self.runtimes.insert(runtime.runtime_id, runtime);
        }
    }

    /// Adds questions that are not known yet.
    pub(crate) fn opened(&mut self, questions: impl IntoIterator<Item = OpenQuestion>) {
        for question in questions {
            let id = question.request.request_id;
            if !self
                .questions
                .iter()
                .any(|known| known.request.request_id == id)
            {
                self.questions.push(question);
            }
        }
    }

    pub(crate) fn closed(&mut self, id: PermissionRequestId) {
        self.questions
            .retain(|question| question.request.request_id != id);
    }

    /// The name of a client, for people.
    pub(crate) fn client(&self, id: ClientId) -> String {
        let known = self.clients.iter().find(|client| client.client_id == id);
        match (id, known) {
            (ClientId::Daemon, _) => "the daemon".to_owned(),
            (_, Some(known)) => format!("{} ({id})", known.name),
            (_, None) => id.to_string(),
        }
    }
}
