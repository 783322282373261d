use scorel_proto::{RunId, RunSpent, SessionId};

/// A run of a workflow that a session works for, and its use by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunUse {
    pub run_id: RunId,
    /// The session that has it: that session, or one above it.
    pub session_id: SessionId,
    pub spent: RunSpent,
}
