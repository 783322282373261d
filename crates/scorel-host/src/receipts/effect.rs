use scorel_proto::{CreateSessionParams, ProjectId, RegisterProjectParams, SessionId};
use serde::{Deserialize, Serialize};

use super::error::ReceiptError;

/// A change of the host, with the ids of what it makes: carried out twice, it has one effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "method",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Effect {
    /// A session is made.
    CreateSession {
        /// The id it gets.
        session_id: SessionId,
        /// What was asked for.
        params: CreateSessionParams,
    },
    /// A session is deleted.
    DeleteSession {
        /// Which one.
        session_id: SessionId,
    },
    /// A directory is registered.
    RegisterProject {
        /// The id it gets, unless it is registered already.
        project_id: ProjectId,
        /// What was asked for.
        params: RegisterProjectParams,
    },
    /// A project is forgotten.
    RemoveProject {
        /// Which one.
        project_id: ProjectId,
    },
}

/// The kind of an [`Effect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum HostMethod {
    CreateSession,
    DeleteSession,
    RegisterProject,
    RemoveProject,
}

/// What an effect was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Subject {
    /// A session.
    SessionId(SessionId),
    /// A project.
    ProjectId(ProjectId),
}

impl Effect {
    pub(crate) const fn method(&self) -> HostMethod {
        match self {
            Self::CreateSession { .. } => HostMethod::CreateSession,
            Self::DeleteSession { .. } => HostMethod::DeleteSession,
            Self::RegisterProject { .. } => HostMethod::RegisterProject,
            Self::RemoveProject { .. } => HostMethod::RemoveProject,
        }
    }

    /// What is there after the effect and was not before.
    pub(crate) const fn makes(&self) -> Option<Subject> {
        match self {
            Self::CreateSession { session_id, .. } => Some(Subject::SessionId(*session_id)),
            Self::RegisterProject { project_id, .. } => Some(Subject::ProjectId(*project_id)),
            Self::DeleteSession { .. } | Self::RemoveProject { .. } => None,
        }
    }
}

impl Subject {
    /// The session that a command was about.
    ///
    /// # Errors
    /// The receipt is that of another kind of command.
    pub(crate) fn session(self) -> Result<SessionId, ReceiptError> {
        match self {
            Self::SessionId(id) => Ok(id),
            Self::ProjectId(_) => Err(ReceiptError::OtherKind),
        }
    }

    /// The project that a command was about.
    ///
    /// # Errors
    /// The receipt is that of another kind of command.
    pub(crate) fn project(self) -> Result<ProjectId, ReceiptError> {
        match self {
            Self::ProjectId(id) => Ok(id),
            Self::SessionId(_) => Err(ReceiptError::OtherKind),
        }
    }
}
