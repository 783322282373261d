use scorel_proto::{ProjectId, Session, SessionId, SessionKind};

use crate::SessionError;

/// Which sessions to list.
#[derive(Debug, Clone)]
pub struct ListFilter {
    /// Only those of a project.
    pub project_id: Option<ProjectId>,
    /// Only those of a kind.
    pub kind: Option<SessionKind>,
    /// Only those that are put away, or only the others.
    pub archived: bool,
    /// How many at most.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Default for ListFilter {
    fn default() -> Self {
        Self {
            project_id: None,
            kind: None,
            archived: false,
            limit: 50,
            cursor: None,
        }
    }
}

impl ListFilter {
    pub(super) fn accepts(&self, session: &Session) -> bool {
        session.archived == self.archived
            && self.project_id.is_none_or(|id| id == session.project_id)
            && self.kind.is_none_or(|kind| kind == session.kind)
    }

    /// Where the page before ended.
    pub(super) fn before(&self) -> Result<Option<SortKey>, SessionError> {
        self.cursor.as_deref().map(SortKey::parse).transpose()
    }
}

/// The order of a listing, backwards: the session that changed last comes first, and those of which
/// nothing is known come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SortKey {
    updated_at: u64,
    id: SessionId,
}

impl SortKey {
    pub(super) fn of(session: &Session) -> Self {
        Self {
            updated_at: session.updated_at,
            id: session.session_id,
        }
    }

    pub(super) const fn unreadable(id: SessionId) -> Self {
        Self { updated_at: 0, id }
    }

    pub(super) fn cursor(self) -> String {
        format!("{}.{}", self.updated_at, self.id)
    }

    fn parse(text: &str) -> Result<Self, SessionError> {
        let parts = text.split_once('.');
        parts
            .and_then(|(at, id)| {
                Some(Self {
                    updated_at: at.parse().ok()?,
                    id: id.parse().ok()?,
                })
            })
            .ok_or_else(|| {
                SessionError::InvalidParams("`cursor` is not one of listSessions".to_owned())
            })
    }
}
