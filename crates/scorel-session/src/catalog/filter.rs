use scorel_proto::{ProjectId, Session, SessionId, SessionKind};

use crate::SessionError;

/// The parameters of `listSessions`.
#[derive(Debug, Clone)]
pub struct ListFilter {
    pub project_id: Option<ProjectId>,
    pub kind: Option<SessionKind>,
    /// Only archived sessions, or only the others.
    pub archived: bool,
    /// The size of a page.
    pub limit: usize,
    /// `nextCursor` of the previous page.
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

    /// The last session of the previous page.
    pub(super) fn before(&self) -> Result<Option<SortKey>, SessionError> {
        self.cursor.as_deref().map(SortKey::parse).transpose()
    }
}

/// The order of a listing, ascending; listings are descending. Sessions without a summary get the
/// lowest key, so that they come last. The id makes keys unique, so that a page can begin anywhere.
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
