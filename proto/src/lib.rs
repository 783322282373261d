//! The Scorel protocol.

mod block;
mod catalogue;
mod error;
mod event;
mod handler;
mod id;
mod message;
mod method;
mod model;
mod openrpc;
mod seq;
mod usage;
mod view;

pub use block::{BlobHash, Block, InvalidBlobHash, ToolResultBlock};
pub use error::{ErrorCode, ErrorData, RpcError};
pub use event::*;
pub use handler::{DisplayPart, DisplayStyle, EventHandler, LlmAction, build_context};
pub use id::{
    ClientId, CommandId, DeviceId, EventId, InvalidId, PermissionRequestId, ProjectId, QueueItemId,
    SessionId, TurnId,
};
pub use message::{
    AssistantMessage, InternalMessage, Message, MessageSource, Meta, Role, StopReason,
    ToolResultContent, ToolResultMessage, UserMessage,
};
pub use method::*;
pub use model::{ErrorCategory, ThinkingLevel};
pub use openrpc::openrpc_document;
pub use seq::Seq;
pub use usage::Usage;
pub use view::{
    NodeKind, OpenBlock, OpenCall, OpenItems, OpenMessage, OpenTool, OpenTurn, PathNode, Phase,
    Queue, SessionState, SessionView, Tree, TreeNode,
};
