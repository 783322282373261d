//! The turn engine: drives a model and tools, and nothing else.
//!
//! A [`TurnDriver`] runs one turn. Whoever owns it pulls one [`Step`] after the other and has dealt
//! with a step (written it, shown it) before asking for the next: the engine never runs ahead of
//! what is durable. The engine keeps no history, touches no file, opens no connection and has no
//! clock of its own; [`Provider`], [`Toolbox`], [`Gatekeeper`] and [`Clock`] are its only ways out.

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
    Clock, ErrorCategory, Gatekeeper, ModelInfo, ModelRequest, OpenGate, Permission, Provider,
    ProviderError, ProviderEvent, ProviderStream, Question, ThinkingLevel, ToolCall, ToolOutcome,
    ToolSpec, ToolUpdates, Toolbox, Verdict,
};
pub use retry::RetryPolicy;
pub use stop::{StopCause, StopSignal};
