//! The Scorel protocol: its types, their documentation, and the fold that every participant shares.
//!
//! - [`Event`], [`PersistentBody`] and [`TransientBody`] are what happens in a session;
//!   [`EncodedEvent`] is an event byte for byte, as it is logged and broadcast.
//! - [`METHODS`] and [`Method`] are the calls; [`SyncMarker`] and [`HostEvent`] are what
//!   subscriptions send besides events.
//! - [`ErrorCode`] and [`RpcError`] are the failures.
//! - [`SessionView`] is the state of a session, folded from its events. Daemon, recovery, client
//!   library and tests use this one fold, so they cannot disagree about what the events mean.
//! - [`PersistentBody::convert_to_llm`], [`PersistentBody::convert_to_display`], [`build_context`] and
//!   [`ContextWindow`] are what events mean to the model and to a reader.
//! - [`openrpc_document`] describes all of it. Doc comments on wire types end up in it and in
//!   `docs/protocol-reference.md`: they address authors of clients, in any language.
//!
//! The crate performs no input or output and needs no async runtime, so that clients can use it as
//! it is. The manual is `docs/protocol.md`; a test writes `docs/protocol-reference.md` from the same schemas.
#![warn(missing_docs)]

mod agent;
mod as_text;
mod attachment;
mod attachment_problem;
mod binding;
mod block;
mod catalogue;
mod channel;
mod context;
mod cost;
mod counted;
mod error;
mod error_chain;
mod event;
mod file_history;
mod files;
mod handler;
mod hook_point;
mod id;
mod invalid_text;
mod message;
mod method;
mod model;
mod named;
mod on_restart;
mod openrpc;
mod permission_mode;
#[cfg(test)]
mod reference;
mod rendered_slot;
mod request_hasher;
mod request_proof;
mod run;
mod run_mode;
mod runner;
mod seq;
mod tags;
mod title_source;
mod token_estimate;
mod tool_preset;
mod turn_summary;
mod usage;
mod view;
mod worktree_owner;

pub use agent::{AgentEvent, AgentHistory, AgentTaskCounts, AgentTaskStatus, SpawnRefusal};
pub use attachment_problem::AttachmentProblem;
pub use binding::{Binding, BoundContext};
pub use block::{Attachment, BlobHash, Block, InvalidBlobHash, TextPart, ToolResultBlock};
pub use channel::{ChannelSource, MessageChannel};
pub use context::{Context, ContextIter};
pub use cost::{Cost, CostSource, CostTotal};
pub use counted::counted;
pub use error::{ErrorCode, ErrorData, RpcError};
pub use error_chain::ErrorChain;
pub use event::*;
pub use file_history::{ChangedFile, FileHistory};
pub use files::{
    ChangedBy, FileBefore, FileChange, FileMode, FilePath, FileState, LinkTarget, RecordedFiles,
};
pub use handler::{
    ContextEdit, ContextWindow, DisplayPart, DisplayStyle, LlmAction, MeasuredCall, OffPath,
    WindowItem, build_context, covered_by, excerpt, trimmed_content,
};
pub use hook_point::HookPoint;
pub use id::{
    AgentTaskId, ClientId, CommandId, CompactionId, DeviceId, EventId, PermissionRequestId,
    ProjectId, QueueItemId, RunId, SessionId, TurnId,
};
pub use invalid_text::InvalidText;
pub use message::{
    AssistantMessage, InternalMessage, Message, MessageSource, Meta, Role, StopReason,
    ToolResultContent, ToolResultMessage, UserMessage,
};
pub use method::*;
pub use model::{ErrorCategory, ThinkingLevel};
pub use on_restart::OnRestart;
pub use openrpc::openrpc_document;
pub use permission_mode::PermissionMode;
pub use rendered_slot::RenderedSlot;
pub use request_hasher::RequestHasher;
pub use request_proof::RequestProof;
pub use run::{
    DueEngineTurn, ENGINE_TURN_KIND, EngineTurnBody, NODE_BRIEF_KIND, RUN_MODE_KIND,
    RUN_PHASE_KIND, RUN_STARTED_KIND, RUN_STATE_KIND, RunIntent, RunModeData, RunPackage, RunPhase,
    RunPhaseData, RunReason, RunSpent, RunStartedData, RunStateCause, RunStateData, SessionRun,
};
pub use run_mode::RunMode;
pub use runner::{
    LogEntry, MessageRunner, OWN_RUNNER, RunnerCapabilities, RunnerErrorKind, RunnerLogStream,
};
pub use seq::Seq;
pub use tags::{reminder, without_our_tags, without_tags};
pub use title_source::TitleSource;
pub use token_estimate::TokenEstimate;
pub use tool_preset::ToolPreset;
pub use turn_summary::{TurnStatus, TurnSummary};
pub use usage::Usage;
pub use view::{
    AgentTask, AgentTasks, AgentTasksUse, EngineTurns, FoldedRun, GuidanceKind, GuidanceState,
    INSTRUCTIONS_KIND, MCP_INSTRUCTIONS_KIND, NodeKind, OpenAgentTask, OpenBlock, OpenCall,
    OpenCompaction, OpenItems, OpenMessage, OpenRestore, OpenRun, OpenTool, OpenTurn, PathNode,
    Phase, Queue, RecentAnswers, RunnerContext, RunnerContexts, RunnerLogTail, SKILLS_KIND,
    SessionState, SessionView, TOOLS_KIND, ToldTools, Tree, TreeNode, opening,
};
pub use worktree_owner::WorktreeOwner;
