use scorel_proto::{
    CloneSessionParams, CreateSessionParams, ProjectId, RegisterProjectParams, SessionId,
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
pub(crate) enum Effect {
    CreateSession {
        session_id: SessionId,
        params: CreateSessionParams,
    },
    CloneSession {
        /// The clone.
        session_id: SessionId,
        params: CloneSessionParams,
    },
    DeleteSession {
        session_id: SessionId,
    },
    RegisterProject {
        /// Unused if the directory is registered already.
        project_id: ProjectId,
        params: RegisterProjectParams,
    },
    RemoveProject {
        project_id: ProjectId,
    },
}

/// The method that an [`Effect`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum HostMethod {
    CreateSession,
    CloneSession,
    DeleteSession,
    RegisterProject,
    RemoveProject,
}

/// The object that an effect created or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Subject {
    SessionId(SessionId),
    ProjectId(ProjectId),
}

impl Effect {
    pub(crate) const fn method(&self) -> HostMethod {
        match self {
            Self::CreateSession { .. } => HostMethod::CreateSession,
            Self::CloneSession { .. } => HostMethod::CloneSession,
            Self::DeleteSession { .. } => HostMethod::DeleteSession,
            Self::RegisterProject { .. } => HostMethod::RegisterProject,
            Self::RemoveProject { .. } => HostMethod::RemoveProject,
        }
    }

    /// The object that the effect creates.
    pub(crate) const fn makes(&self) -> Option<Subject> {
        match self {
            Self::CreateSession { session_id, .. } | Self::CloneSession { session_id, .. } => {
                Some(Subject::SessionId(*session_id))
            }
            Self::RegisterProject { project_id, .. } => Some(Subject::ProjectId(*project_id)),
            Self::DeleteSession { .. } | Self::RemoveProject { .. } => None,
        }
    }
}

impl Subject {
    pub(crate) fn session(self) -> Result<SessionId, ReceiptError> {
        match self {
            Self::SessionId(id) => Ok(id),
            Self::ProjectId(_) => Err(ReceiptError::OtherKind),
        }
    }

    pub(crate) fn project(self) -> Result<ProjectId, ReceiptError> {
        match self {
            Self::ProjectId(id) => Ok(id),
            Self::SessionId(_) => Err(ReceiptError::OtherKind),
        }
    }
}
