use scorel_journal::{FORMAT, LogHeader};
use scorel_proto::{
    AgentTaskQuestion, DeviceId, Phase, ProjectId, RunId, Session, SessionAgent, SessionId,
    SessionKind, SessionOrigin, SessionParent, SessionView, SessionWorktree,
};
use serde::{Deserialize, Serialize};

use crate::SessionError;

/// The first line of a session's log: what never changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionHeader {
    #[serde(rename = "type")]
    pub type_name: HeaderType,
    /// The version of the log's format.
    pub format: u32,
    pub session_id: SessionId,
    pub project_id: ProjectId,
    pub device_id: DeviceId,
    #[serde(default)]
    pub kind: SessionKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionParent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<SessionAgent>,
    /// The file that its history comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SessionOrigin>,
    /// The run of a workflow that it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The git worktree that it works in for that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<SessionWorktree>,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// The daemon's version.
    pub version: String,
}

impl SessionHeader {
    /// Parses the first line of the log of session `id`. The error is for people.
    ///
    /// # Errors
    ///
    /// If it is no header of this session.
    pub fn read(line: &LogHeader, id: SessionId) -> Result<Self, String> {
        let header: Self = serde_json::from_str(line.text()).map_err(|error| {
            newer(line.format()).unwrap_or_else(|| {
                format!("the first line of the log is not a session header: {error}")
            })
        })?;
        if header.session_id == id {
            Ok(header)
        } else {
            Err(format!("the log belongs to session {}", header.session_id))
        }
    }

    /// The git worktree that it works in, as a run or as an agent has one.
    pub fn worktree(&self) -> Option<&SessionWorktree> {
        let of_agent = self.agent.as_ref().and_then(|it| it.worktree.as_ref());
        self.worktree.as_ref().or(of_agent)
    }

    /// The reason why the session is read-only, if it is.
    pub(crate) fn problem(&self) -> Option<String> {
        newer(self.format)
    }

    /// The description of an idle session; the lane adds what only it knows.
    pub(crate) fn describe(&self, view: &SessionView) -> Session {
        let folded = &view.state;
        Session {
            session_id: self.session_id,
            project_id: self.project_id,
            kind: self.kind,
            parent: self.parent.clone(),
            agent: self.agent.clone(),
            origin: self.origin.clone(),
            run: folded.run.as_ref().map(|run| run.shown.clone()),
            worktree: self.worktree.clone(),
            title: folded.display_title().map(str::to_owned),
            title_source: folded.display_title_source(),
            model: folded.model.clone(),
            runner: folded.runner_name().to_owned(),
            runner_contexts: folded.runners.bound().clone(),
            thinking_level: folded.thinking_level,
            tools: folded.tools,
            phase: Phase::Idle,
            turn_id: None,
            active_leaf_id: view.leaf(),
            current_seq: folded.last_seq,
            last_persistent_seq: folded.last_persistent_seq,
            queue: folded.queue.items.clone(),
            queue_version: folded.queue.version,
            queue_paused: folded.queue.paused,
            usage: folded.usage,
            cost: folded.cost,
            on_restart: folded.on_restart,
            created_at: self.created_at,
            updated_at: folded.updated_at.max(self.created_at),
            archived: folded.archived,
            problem: None,
            runtimes: folded.runtimes.counts(),
            child_questions: child_questions(view),
            storage_stalled: None,
            deleted: None,
        }
    }
}

fn child_questions(view: &SessionView) -> Vec<AgentTaskQuestion> {
    let open = view.state.runtimes.unfinished();
    open.filter_map(|(_, runtime)| runtime.waiting_for.clone())
        .collect()
}

/// Refuses the first line of a bundle's log if a newer version wrote it.
pub(crate) fn check_bundled(line: &str) -> Result<(), SessionError> {
    #[derive(Deserialize)]
    struct Line {
        format: u32,
    }
    match serde_json::from_str(line) {
        Ok(Line { format }) if format > FORMAT => Err(SessionError::InvalidParams(format!(
            "the bundle's log has format {format} of a newer version; this version reads up to {FORMAT}"
        ))),
        _ => Ok(()),
    }
}

fn newer(format: u32) -> Option<String> {
    (format > FORMAT).then(|| {
        format!("the log has format {format} of a newer version; this version can only read it")
    })
}

/// The `type` field of the header, for programs that read the file line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeaderType {
    Session,
}
