use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_engine::{ModelInfo, Provider, RunnerAccess, RunnerPorts, ToolServer, TurnPorts};
use scorel_files::FileRecorder;
use scorel_journal::Blobs;
use scorel_proto::{
    CompactionFacts, Context, MessageChannel, NoticeBody, ProjectId, SessionAgent, SessionId,
    SessionWorktree, ThinkingLevel, ToolPreset, TurnError, TurnId,
};

use crate::{Guidance, KnownGuidance, SessionHeader, TitleAnswer, TitleRequest};

/// The host's side of a turn: model, tools, limits and instructions.
///
/// All methods may block, but for `resources` and `title`.
pub trait TurnSetup: fmt::Debug + Send + Sync {
    /// The state that the host keeps for a session while it is loaded. Made when the session first needs
    /// it; cheap, since it opens nothing yet.
    fn resources(self: Arc<Self>, session: &SessionHeader) -> Arc<dyn SessionResources>;

    /// A model by the name that its answers have, to write a summary. `None` if it cannot be used.
    fn summary_model(
        &self,
        _project_id: ProjectId,
        _name: &str,
        _blobs: Blobs,
    ) -> Option<Arc<dyn Provider>> {
        None
    }

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
}

/// The host's state for one loaded session: tools with what they remember, the commands that they run,
/// and the recorder of its files. Dropping it ends and frees all of that.
pub trait SessionResources: fmt::Debug + Send + Sync {
    /// Prepares one turn of the session's runner. Called from an async thread; must not block it. When
    /// the turn is cancelled, or the preparation takes longer than a minute, the future is dropped.
    ///
    /// # Errors
    ///
    /// Why the turn is impossible, for example a missing key. It becomes the turn's outcome.
    fn prepare(
        self: Arc<Self>,
        request: TurnRequest,
    ) -> BoxFuture<'static, Result<PreparedTurn, TurnError>>;

    /// The conversation goes on from another place. What its tools remember of what the model has
    /// read goes: the model may not be shown that any more.
    fn leaf_moved(&self);

    /// What the tools know about these messages, and about the session as it is now: a summary that
    /// takes their place is given with it. May block.
    fn facts(&self, _messages: &Context) -> CompactionFacts {
        CompactionFacts::default()
    }

    /// The commands that run in the background: each id with the command's first line. May block.
    fn background(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The recorder of what the session does to the files that it works on: those of its project, or of a
    /// worktree of its own. May block.
    ///
    /// # Errors
    ///
    /// The project is not registered any more, or the directory cannot be opened.
    fn files(&self) -> io::Result<Arc<FileRecorder>>;

    /// True while something of it runs, such as a command in the background. The session stays in memory
    /// then.
    fn is_running(&self) -> bool {
        false
    }

    /// Ends and frees all of it now, though the session may still be referred to. What the session needs
    /// afterwards is opened anew. May block.
    fn end(&self);
}

/// What the session says about the turn.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// The turn; `None` for a request outside of turns.
    pub turn_id: Option<TurnId>,
    /// The agent that works in the session, if one does.
    pub agent: Option<SessionAgent>,
    /// The git worktree that the session works in, if it has one.
    pub worktree: Option<SessionWorktree>,
    /// The channel whose message started the turn; it caps what the turn may do.
    pub channel: Option<MessageChannel>,
    /// The runner; `None` is the daemon's own engine.
    pub runner: Option<String>,
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
    pub backend: TurnBackend,
    /// What to tell the user. The session says each only once.
    pub notices: Vec<NoticeBody>,
}

/// What runs a turn.
#[derive(Debug)]
pub enum TurnBackend {
    /// The daemon's own engine.
    Engine(PreparedEngine),
    /// A foreign agent.
    Runner(PreparedRunner),
}

/// A model and its tools.
#[derive(Debug)]
pub struct PreparedEngine {
    /// `system` is replaced by the session's frozen instructions.
    pub ports: TurnPorts,
    pub guidance: Guidance,
    pub compaction: CompactionSetup,
}

/// A runner and how the session uses it.
#[derive(Debug)]
pub struct PreparedRunner {
    pub ports: RunnerPorts,
    /// The directory that the runner works in, absolute.
    pub directory: PathBuf,
    /// What its own sandbox may allow.
    pub access: RunnerAccess,
    /// Instructions that it does not read itself.
    pub instructions: Option<String>,
    /// The daemon's own tools that it is offered.
    pub tools: Option<Arc<ToolServer>>,
    /// How long its process is kept after the turn.
    pub keep: Duration,
    /// A process that was kept is used only by a turn with the same value: it was started with the same
    /// settings.
    pub settings_hash: u64,
    /// The most that a context is told of the conversation, in bytes.
    pub handover_bytes: usize,
}

/// How conversations that get too long are summarised.
#[derive(Debug, Clone, Default)]
pub struct CompactionSetup {
    pub settings: CompactionSettings,
    /// A model to write summaries, if not the session's own.
    pub auxiliary: Option<Arc<dyn Provider>>,
}

/// Sizes of a compaction, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Kept free for the answer.
    pub reserve_tokens: u64,
    /// Of the newest messages, what stays as it is.
    pub keep_tokens: u64,
    /// How long a summary may be.
    pub summary_tokens: u64,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self {
            reserve_tokens: 20_000,
            keep_tokens: 20_000,
            summary_tokens: 4_096,
        }
    }
}

impl CompactionSettings {
    /// How large a request may be before older messages are summarised.
    pub fn budget(&self, model: &ModelInfo) -> u64 {
        let window = model.context_window;
        let reserve = self
            .reserve_tokens
            .min(model.max_output_tokens)
            .min(window / 4);
        window - reserve
    }
}
