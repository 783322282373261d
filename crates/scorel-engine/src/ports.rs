//! The engine's ports: model, tools, permission and time.
//!
//! The traits are defined here and implemented by the crates around the engine, so that the engine
//! depends on none of them and tests can replace each. In through [`Provider`] come the model's
//! answers; a [`ToolCall`] in one of them is shown to the [`Hooks`] and goes out to its [`Tool`], which
//! makes a [`ToolPlan`] of it. The [`Gatekeeper`] judges the plan's [`Effect`]s; the [`Permit`] it gives
//! goes back to the plan, which runs, and the hooks see the outcome.

#![warn(missing_docs)]

mod arguments;
mod blob_sink;
mod blocking;
mod blocking_plan;
mod call_screen;
mod clock;
mod effect;
mod gatekeeper;
mod hook_chain;
mod hook_merge;
mod hooks;
mod lenient;
mod moment;
mod pending_call;
mod permit;
mod prerequisite;
mod provider;
mod quote;
mod runner;
mod session_tool;
mod token_price;
mod tool;
mod tool_call;
mod tool_list;
mod tool_outcome;
mod tool_plan;
mod tool_spec;

pub use arguments::{ArgumentError, parse_arguments};
pub use blob_sink::BlobSink;
pub use blocking::{blocking, blocking_now};
pub use call_screen::CallScreen;
pub use clock::Clock;
pub use effect::Effect;
pub use gatekeeper::{Gatekeeper, OpenGate, Permission, Question, Verdict};
pub use hook_chain::HookChain;
pub(crate) use hook_merge::Shown;
pub use hooks::{AfterCall, BeforeCall, CallOpinion, Hooks, Reply};
pub use moment::{
    BackgroundTask, Moment, MomentAnswer, MomentVerdict, NewMessage, Occasion, SessionSource,
};
pub use pending_call::{HookMarks, PendingCall};
pub use permit::{CommandAccess, HiddenExtent, HiddenFiles, HiddenRoot, Permit, ReadFilter};
pub use prerequisite::Prerequisite;
pub use provider::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderEvent, ProviderStream,
    ThinkingLevel,
};
pub use runner::*;
pub use session_tool::SessionTool;
pub use token_price::{TokenPrice, call_cost};
pub use tool::Tool;
pub use tool_call::ToolCall;
pub use tool_list::{DuplicateTool, ToolList};
pub use tool_outcome::ToolOutcome;
pub use tool_plan::{BegunCall, ToolContext, ToolPlan, ToolUpdates};
pub use tool_spec::{ToolClass, ToolSpec};
