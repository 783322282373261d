use scorel_proto::{PermissionRequestId, SessionId};

use crate::SessionHeader;

/// The parameters of `listQuestions`.
#[derive(Debug, Clone, Copy)]
pub struct QuestionFilter {
    /// Only those of this session and of its agents.
    pub session_id: Option<SessionId>,
    /// The size of a page.
    pub limit: usize,
    /// The last question of the previous page.
    pub after: Option<PermissionRequestId>,
}

impl Default for QuestionFilter {
    fn default() -> Self {
        Self {
            session_id: None,
            limit: 50,
            after: None,
        }
    }
}

impl QuestionFilter {
    pub(super) fn concerns(&self, header: &SessionHeader) -> bool {
        let parent = header.parent.as_ref().filter(|_| header.agent.is_some());
        self.session_id.is_none_or(|wanted| {
            header.session_id == wanted || parent.is_some_and(|parent| parent.session_id == wanted)
        })
    }
}
