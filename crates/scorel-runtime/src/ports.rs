//! What the engine needs from outside: a model, tools and a clock.

#![warn(missing_docs)]

mod clock;
mod gatekeeper;
mod provider;
mod toolbox;

pub use clock::Clock;
pub use gatekeeper::{Gatekeeper, OpenGate, Permission, Question, Verdict};
pub use provider::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderEvent, ProviderStream,
    ThinkingLevel,
};
pub use toolbox::{ToolCall, ToolOutcome, ToolSpec, ToolUpdates, Toolbox};
