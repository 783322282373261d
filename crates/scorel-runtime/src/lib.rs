//! The turn engine: drives a model and tools, without files or sockets.

mod ports;

pub use ports::{
    Clock, ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderEvent,
    ProviderStream, ThinkingLevel, ToolCall, ToolOutcome, ToolSpec, ToolUpdates, Toolbox,
};
