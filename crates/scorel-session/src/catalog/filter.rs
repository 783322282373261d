use scorel_proto::{ProjectId, Session, SessionId, SessionKind};

use crate::SessionError;

/// The parameters of `listSessions`.
#[derive(Debug, Clone)]
pub struct ListFilter {
    pub project_id: Option<ProjectId>,
    pub kind: Option<SessionKind>,
    /// Only archived sessions, or only the others. Those in the trash are listed in either case.
    pub archived: bool,
    /// Only sessions in the trash, or only the others.
    pub deleted: bool,
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
            deleted: false,
            limit: 50,
            cursor: None,
        }
    }
}

impl ListFilter {
    pub(super) fn accepts(&self, session: &Session) -> bool {
        session.archived == self.archived && self.concerns(session)
    }

    /// Returns whether a session is of the project and the kind.
    pub(crate) fn concerns(&self, session: &Session) -> bool {
        self.project_id.is_none_or(|id| id == session.project_id)
            && self.kind.is_none_or(|kind| kind == session.kind)
    }

    /// The last session of the previous page.
    pub(crate) fn before(&self) -> Result<Option<SortKey>, SessionError> {
        self.cursor.as_deref().map(SortKey::parse).transpose()
    }
}

/// The order of a listing, ascending; listings are descending. Sessions without a summary get the
/// lowest key, so that they come last. The id makes keys unique, so that a page can begin anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortKey {
    updated_at: u64,
    id: SessionId,
}

impl SortKey {
    pub(crate) const fn new(updated_at: u64, id: SessionId) -> Self {
        Self { updated_at, id }
    }

    pub(crate) fn cursor(self) -> String {
        format!("{}.{}", self.updated_at, self.id)
    }

    fn parse(text: &str) -> Result<Self, SessionError> {
        let parsed = text.split_once('.').and_then(|(at, id)| {
            let (at, id) = (at.parse().ok()?, id.parse().ok()?);
            Some(Self::new(at, id))
        });
        parsed.ok_or_else(|| {
            SessionError::InvalidParams("`cursor` is not one of listSessions".to_owned())
        })
    }
}
