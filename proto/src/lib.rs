//! The Scorel protocol.

mod block;
mod error;
mod id;
mod message;
mod model;
mod seq;
mod usage;

pub use block::{BlobHash, Block, InvalidBlobHash, ToolResultBlock};
pub use error::{ErrorCode, ErrorData, RpcError};
pub use id::{
    ClientId, CommandId, DeviceId, EventId, InvalidId, PermissionRequestId, ProjectId, QueueItemId,
    SessionId, TurnId,
};
pub use message::{
    AssistantMessage, InternalMessage, Message, MessageSource, Meta, Role, StopReason,
    ToolResultContent, ToolResultMessage, UserMessage,
};
pub use model::{ErrorCategory, ThinkingLevel};
pub use seq::Seq;
pub use usage::Usage;
