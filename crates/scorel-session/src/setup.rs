use std::fmt;
use std::io;

use futures_util::future::BoxFuture;
use scorel_journal::Blobs;
use scorel_proto::{NoticeBody, ProjectId, SessionId, ThinkingLevel, ToolPreset, TurnError};
use scorel_runtime::TurnPorts;

use crate::{Guidance, KnownGuidance, TitleAnswer, TitleRequest};

/// The host's side of a turn: model, tools, limits and instructions.
///
/// Asked at the start of every turn, so that a changed configuration applies to the next one. All
/// methods may block, but for `title`.
pub trait TurnSetup: fmt::Debug + Send + Sync {
    /// Prepares one turn.
    ///
    /// # Errors
    ///
    /// Why the turn is impossible, for example a missing key. It becomes the turn's outcome.
    fn prepare(&self, request: &TurnRequest) -> Result<PreparedTurn, TurnError>;

    /// Asks the auxiliary model for a session's title, once. `None` if there is no such model.
    ///
    /// Called from an async thread; must not block it.
    fn title(&self, request: TitleRequest) -> BoxFuture<'static, Option<TitleAnswer>>;

    /// Grants `rules` in a project from now on, durably.
    ///
    /// # Errors
    ///
    /// If it could not be written.
    fn allow_always(&self, project_id: ProjectId, rules: &[String]) -> io::Result<()>;

    /// The session leaves memory. What the host keeps for it may go too, unless it is in use.
    fn unload(&self, session_id: SessionId);

    /// The session was deleted: its tool state goes and its processes end.
    fn forget(&self, session_id: SessionId);
}

/// What the session says about the turn.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// The session's model, if it overrides the default.
    pub model: Option<String>,
    pub thinking_level: ThinkingLevel,
    pub tools: Option<ToolPreset>,
    /// Rules that were allowed for the rest of the session.
    pub allowed: Vec<String>,
    pub blobs: Blobs,
    pub known: KnownGuidance,
}

#[derive(Debug)]
pub struct PreparedTurn {
    /// `system` is replaced by the session's frozen instructions.
    pub ports: TurnPorts,
    pub guidance: Guidance,
    /// What to tell the user. The session says each only once.
    pub notices: Vec<NoticeBody>,
}
