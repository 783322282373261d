use scorel_proto::{
    CloneSessionParams, CreateSessionParams, ImportSessionParams, ProjectId, RebindRunParams,
    RegisterProjectParams, ResumeRunParams, RunId, Seq, SessionId, SetAgentParams, SetQuotaParams,
    StartRunParams, UpdateProjectParams, UpdateRunParams, WorktreeOwner,
};
use serde::{Deserialize, Serialize};

use super::error::ReceiptError;

/// A mutation of the host, with the ids of what it creates, so that applying it twice has one effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "method",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Effect {
    CreateSession {
        session_id: SessionId,
        params: CreateSessionParams,
    },
    CloneSession {
        /// The clone.
        session_id: SessionId,
        params: CloneSessionParams,
    },
    ImportSession {
        /// Unused if the file was imported before.
        session_id: SessionId,
        params: ImportSessionParams,
    },
    DeleteSession {
        session_id: SessionId,
        /// With these, the sessions of its runtimes; `None` if it may have none that has not ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        children: Option<Vec<SessionId>>,
        /// For good; otherwise it goes to the trash.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        now: bool,
    },
    UndeleteSession {
        session_id: SessionId,
    },
    OpenOrchestrator {
        /// Unused if the project has one.
        session_id: SessionId,
        project_id: ProjectId,
    },
    RegisterProject {
        /// Unused if the directory is registered already.
        project_id: ProjectId,
        params: RegisterProjectParams,
    },
    UpdateProject {
        params: UpdateProjectParams,
    },
    RemoveProject {
        project_id: ProjectId,
    },
    SetAgent {
        params: SetAgentParams,
    },
    SetQuota {
        params: SetQuotaParams,
    },
    RemoveWorktree {
        /// As `runtimeId` or `runId`.
        #[serde(flatten)]
        owner: WorktreeOwner,
        /// Its branch when the command began; `None` if there was no worktree.
        branch: Option<String>,
        force: bool,
    },
    ChangeRun {
        run_id: RunId,
        /// Unused unless the change makes a session.
        session_id: SessionId,
        change: RunChange,
    },
}

/// A change of a run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", content = "params", rename_all = "camelCase")]
pub enum RunChange {
    Start(StartRunParams),
    Resume(ResumeRunParams),
    Update(UpdateRunParams),
    Rebind(RebindRunParams),
    Repair,
    Delete,
}

/// The method that an [`Effect`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HostMethod {
    CreateSession,
    CloneSession,
    ImportSession,
    DeleteSession,
    UndeleteSession,
    OpenOrchestrator,
    RegisterProject,
    UpdateProject,
    RemoveProject,
    SetAgent,
    SetQuota,
    RemoveWorktree,
    ChangeRun,
}

/// The object that an effect created, changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    SessionId(SessionId),
    ProjectId(ProjectId),
    /// The user's configuration file.
    Configuration,
    /// The branch of a worktree.
    Branch(String),
    /// A run, with the session that goes on with it and the number of the message for that, if one does.
    Run {
        run_id: RunId,
        session: Option<(SessionId, Seq)>,
    },
}

impl Effect {
    pub const fn method(&self) -> HostMethod {
        match self {
            Self::CreateSession { .. } => HostMethod::CreateSession,
            Self::CloneSession { .. } => HostMethod::CloneSession,
            Self::ImportSession { .. } => HostMethod::ImportSession,
            Self::DeleteSession { .. } => HostMethod::DeleteSession,
            Self::UndeleteSession { .. } => HostMethod::UndeleteSession,
            Self::OpenOrchestrator { .. } => HostMethod::OpenOrchestrator,
            Self::RegisterProject { .. } => HostMethod::RegisterProject,
            Self::UpdateProject { .. } => HostMethod::UpdateProject,
            Self::RemoveProject { .. } => HostMethod::RemoveProject,
            Self::SetAgent { .. } => HostMethod::SetAgent,
            Self::SetQuota { .. } => HostMethod::SetQuota,
            Self::RemoveWorktree { .. } => HostMethod::RemoveWorktree,
            Self::ChangeRun { .. } => HostMethod::ChangeRun,
        }
    }

    /// The object that the effect creates, or brings back.
    pub const fn makes(&self) -> Option<Subject> {
        match self {
            Self::CreateSession { session_id, .. }
            | Self::CloneSession { session_id, .. }
            | Self::ImportSession { session_id, .. }
            | Self::OpenOrchestrator { session_id, .. }
            | Self::UndeleteSession { session_id } => Some(Subject::SessionId(*session_id)),
            Self::ChangeRun {
                session_id,
                change: RunChange::Start(_) | RunChange::Resume(_),
                ..
            } => Some(Subject::SessionId(*session_id)),
            Self::RegisterProject { project_id, .. } => Some(Subject::ProjectId(*project_id)),
            Self::DeleteSession { .. }
            | Self::UpdateProject { .. }
            | Self::RemoveProject { .. }
            | Self::SetAgent { .. }
            | Self::SetQuota { .. }
            | Self::RemoveWorktree { .. }
            | Self::ChangeRun { .. } => None,
        }
    }
}

impl Subject {
    pub fn session(self) -> Result<SessionId, ReceiptError> {
        let Self::SessionId(id) = self else {
            return Err(ReceiptError::OtherKind);
        };
        Ok(id)
    }

    pub fn project(self) -> Result<ProjectId, ReceiptError> {
        let Self::ProjectId(id) = self else {
            return Err(ReceiptError::OtherKind);
        };
        Ok(id)
    }

    /// The session and the message of a run that goes on.
    pub fn run(self) -> Result<(RunId, SessionId, Seq), ReceiptError> {
        match self {
            Self::Run {
                run_id,
                session: Some((session_id, seq)),
            } => Ok((run_id, session_id, seq)),
            _ => Err(ReceiptError::OtherKind),
        }
    }

    pub fn branch(self) -> Result<String, ReceiptError> {
        let Self::Branch(branch) = self else {
            return Err(ReceiptError::OtherKind);
        };
        Ok(branch)
    }
}
