//! The Scorel protocol: its types, its manual and the fold that every participant shares.
//!
//! In this crate:
//!
//! - [`Event`], [`PersistentBody`] and [`TransientBody`]: what happens in a session, and
//!   [`EncodedEvent`]: the same byte for byte;
//! - [`METHODS`] and [`Method`]: what a client can ask, with [`SyncMarker`] and [`HostEvent`]: what
//!   subscriptions send besides events;
//! - [`SessionView`]: the state of a session, folded from its events;
//! - [`EventHandler`], [`build_context`] and [`ContextWindow`]: what events mean to the model and to
//!   a person;
//! - [`ErrorCode`] and [`RpcError`]: what goes wrong;
//! - [`openrpc_document`] and [`protocol_markdown`]: all of it, described.
//!
//! The crate does no input or output and needs no runtime. What follows is the manual for the
//! author of a client; `docs/protocol.md` holds the same text and the reference of every method,
//! event and type.
//!
//! # The protocol
#![doc = include_str!("manual.md")]
#![warn(missing_docs)]

mod block;
mod catalogue;
mod context;
mod error;
mod event;
mod handler;
mod id;
mod message;
mod method;
mod model;
mod openrpc;
mod reference;
mod seq;
mod tool_preset;
mod usage;
mod view;

pub use block::{BlobHash, Block, InvalidBlobHash, ToolResultBlock};
pub use context::{Context, ContextIter};
pub use error::{ErrorCode, ErrorData, RpcError};
pub use event::*;
pub use handler::{
    ContextWindow, DisplayPart, DisplayStyle, EventHandler, LlmAction, OffPath, build_context,
};
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
pub use reference::protocol_markdown;
pub use seq::Seq;
pub use tool_preset::ToolPreset;
pub use usage::Usage;
pub use view::{
    NodeKind, OpenBlock, OpenCall, OpenItems, OpenMessage, OpenTool, OpenTurn, PathNode, Phase,
    Queue, SessionState, SessionView, Tree, TreeNode,
};
