use scorel_proto::{ProjectId, Role};

/// The hits that are wanted, and their number.
#[derive(Debug, Clone)]
pub struct SearchFilter {
    pub project_id: Option<ProjectId>,
    /// Only archived sessions, or only the others.
    pub archived: bool,
    /// Titles have none, so that they are not among the hits if it is given.
    pub role: Option<Role>,
    /// The earliest time, in milliseconds since 1970.
    pub since: u64,
    /// The most hits, at least 1.
    pub limit: usize,
    /// `nextCursor` of the page before.
    pub cursor: Option<String>,
}
