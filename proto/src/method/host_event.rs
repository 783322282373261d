use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentInfo, AgentTaskInfo, ClientName, ConfigLayer, OpenQuestion, PermissionAnswer,
    PermissionRequestId, Project, ProjectId, Session, SessionId,
};

/// An object that `subscribeHost` sends, as `params.result` of a `host` notification. `version` increases by
/// one with each change.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum HostEvent {
    /// The whole state. Sent first, and again whenever the subscriber fell too far behind.
    Snapshot {
        /// The version of the last change that the snapshot includes.
        version: u64,
        /// All projects.
        projects: Vec<Project>,
        /// The most recently changed sessions, the newest first.
        sessions: Vec<Session>,
        /// True if sessions were left out; `listSessions` returns all.
        more: bool,
        /// The runtimes that have not ended.
        #[serde(default)]
        runtimes: Vec<AgentTaskInfo>,
        /// The open questions, the oldest first, as the first page of `listQuestions` has them. Those of
        /// sessions that are still being loaded follow as `question_opened`.
        #[serde(default)]
        questions: Vec<OpenQuestion>,
        /// The `cursor` with which `listQuestions` goes on; absent if no question was left out.
        questions_cursor: Option<PermissionRequestId>,
        /// The clients that gave a name with `hello`, at most 64; of more, those that came last.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        clients: Vec<ClientName>,
    },
    /// A project was registered.
    ProjectAdded {
        /// The version after this change.
        version: u64,
        /// The project.
        project: Project,
    },
    /// A project has another display name, or another orchestrator.
    ProjectChanged {
        /// The version after this change.
        version: u64,
        /// The project after the change.
        project: Project,
    },
    /// A project was removed.
    ProjectRemoved {
        /// The version after this change.
        version: u64,
        /// The project.
        project_id: ProjectId,
    },
    /// A session was created, or its title, model, phase, leaf, queue or usage changed.
    SessionChanged {
        /// The version after this change.
        version: u64,
        /// The session after the change.
        session: Box<Session>,
    },
    /// A runtime was spawned or has changed. Also tells what it does, more often than its session's log.
    #[serde(rename = "runtime_changed")]
    AgentTaskChanged {
        /// The version after this change.
        version: u64,
        /// The runtime after the change.
        runtime: Box<AgentTaskInfo>,
    },
    /// The configuration of an agent, its quota in a project, or how many of its runtimes run or wait has
    /// changed.
    AgentChanged {
        /// The version after this change.
        version: u64,
        /// The project; absent if the agent's own configuration changed.
        project_id: Option<ProjectId>,
        /// The agent after the change.
        agent: Box<AgentInfo>,
    },
    /// A client gave a name with `hello`, or another one.
    ClientChanged {
        /// The version after this change.
        version: u64,
        /// All that have a name, as in the snapshot.
        clients: Vec<ClientName>,
    },
    /// A session asks for permission. A subscriber that has the question already ignores it.
    QuestionOpened {
        /// The version after this change.
        version: u64,
        /// The question.
        question: Box<OpenQuestion>,
    },
    /// A question waits for no answer any more.
    QuestionClosed {
        /// The version after this change.
        version: u64,
        /// The session that asked.
        session_id: SessionId,
        /// The question.
        request_id: PermissionRequestId,
        /// The decision and who made it; absent if none was recorded.
        answer: Option<PermissionAnswer>,
    },
    /// A session was deleted, and with it the questions that it asked.
    SessionRemoved {
        /// The version after this change.
        version: u64,
        /// The session.
        session_id: SessionId,
    },
    /// Another configuration is in effect, or a file that was invalid is valid again. Turns and calls
    /// that began before have it already if they needed it.
    ConfigChanged {
        /// The version after this change.
        version: u64,
        /// The file that changed: `user`, `project` or `env`.
        layer: ConfigLayer,
        /// The project, if its file changed and it is registered.
        project_id: Option<ProjectId>,
        /// The number of changes that have come into effect since the daemon started.
        generation: u64,
        /// The keys whose values changed, such as `runtime.maxSteps`. Empty for `env`, and if the file
        /// only became valid again.
        keys: Vec<String>,
        /// True if some of the keys have an effect from the next start on only.
        restart_needed: bool,
        /// True if the file was removed, so that the defaults apply in its place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        removed: bool,
    },
    /// A configuration file became invalid. Its last valid content stays in effect.
    ConfigInvalid {
        /// The version after this change.
        version: u64,
        /// The project, if it is the file of one that is registered.
        project_id: Option<ProjectId>,
        /// The file.
        path: String,
        /// The line, counted from 1; absent if the problem has no place in the text.
        line: Option<u32>,
        /// The column in characters, counted from 1.
        column: Option<u32>,
        /// A description of the problem, for people.
        message: String,
        /// The valid name that is most like the one that was written.
        suggestion: Option<String>,
    },
}
