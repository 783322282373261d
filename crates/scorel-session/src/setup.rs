use std::fmt;
use std::io;

use scorel_journal::Blobs;
use scorel_proto::{InstructionPart, ProjectId, SessionId, ThinkingLevel, ToolPreset, TurnError};
use scorel_runtime::TurnPorts;

/// Makes what a turn needs: the model, the tools, the limits and the instructions.
///
/// The daemon implements it; it is called on a blocking thread at the beginning of every turn, so
/// that a changed configuration holds from the next turn on.
pub trait TurnSetup: fmt::Debug + Send + Sync {
    /// Prepares one turn.
    ///
    /// # Errors
    ///
    /// Whatever makes the turn impossible, such as a missing key; it becomes the turn's outcome.
    fn prepare(&self, request: &TurnRequest) -> Result<PreparedTurn, TurnError>;

    /// Somebody has allowed what `rules` say in a project from now on. Durable when this returns;
    /// called on a blocking thread.
    ///
    /// # Errors
    ///
    /// If it could not be written.
    fn allow_always(&self, project_id: ProjectId, rules: &[String]) -> io::Result<()>;

    /// A session goes out of memory. What is kept for it may go too, unless something of it runs.
    fn unload(&self, session_id: SessionId);

    /// A session was deleted: nothing of it may stay or run.
    fn forget(&self, session_id: SessionId);
}

/// The turn to prepare.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The session.
    pub session_id: SessionId,
    /// Its project.
    pub project_id: ProjectId,
    /// The session's own model, if it has one.
    pub model: Option<String>,
    /// How much the model should think.
    pub thinking_level: ThinkingLevel,
    /// Which tools the session wants, if it says so.
    pub tools: Option<ToolPreset>,
    /// The rules that somebody has allowed for the rest of the session.
    pub allowed: Vec<String>,
    /// Where the session's pictures and large contents are.
    pub blobs: Blobs,
}

/// A turn that can run.
#[derive(Debug)]
pub struct PreparedTurn {
    /// What the engine needs. Its `system` is replaced by the session's frozen instructions.
    pub ports: TurnPorts,
    /// The instructions to freeze, if the session has none yet.
    pub instructions: Vec<InstructionPart>,
}
