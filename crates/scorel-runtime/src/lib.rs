//! The turn engine: drives a model and tools, and nothing else.
//!
//! A [`TurnDriver`] runs one turn. Whoever owns it pulls one [`Step`] after the other and has dealt
//! with a step (written it, shown it) before asking for the next: the engine never runs ahead of
//! what is durable. The engine keeps no history, touches no file, opens no connection and has no
//! clock of its own; [`Provider`], [`Tool`], [`Gatekeeper`] and [`Clock`] are its only ways out.

mod assembly;
mod driver;
mod event;
mod limits;
mod model_call;
mod ports;
mod retry;
mod stop;
mod tool_run;

pub use driver::{Step, TurnDriver, TurnPorts, TurnProgress, tool_calls};
pub use event::{RawRuntimeEvent, TurnEnd};
pub use limits::TurnLimits;
pub use ports::{
    ArgumentError, BlobSink, Blocking, BlockingTool, Clock, CommandAccess, DuplicateTool, Effect,
    ErrorCategory, Gatekeeper, ModelInfo, ModelRequest, OpenGate, Permission, Permit, Planned,
    Provider, ProviderError, ProviderEvent, ProviderStream, Question, ReadFilter, ThinkingLevel,
    Tool, ToolCall, ToolClass, ToolContext, ToolList, ToolOutcome, ToolPlan, ToolSpec, ToolUpdates,
    Verdict, parse_arguments,
};
pub use retry::RetryPolicy;
pub use tool_run::CANCELLED;
