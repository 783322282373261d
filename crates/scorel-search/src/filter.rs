use scorel_proto::{ProjectId, Role};

/// Which hits are wanted, and how many.
#[derive(Debug, Clone)]
pub struct SearchFilter {
    pub project_id: Option<ProjectId>,
    /// Only archived sessions, or only the others.
    pub archived: bool,
    /// Titles have none, so that they are not among the hits if it is given.
    pub role: Option<Role>,
    /// Milliseconds since 1970.
    pub since: u64,
    /// At least 1.
    pub limit: usize,
    /// `nextCursor` of the page before.
    pub cursor: Option<String>,
}
