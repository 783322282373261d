//! Servers of the Model Context Protocol, whose tools turns are offered. Knows no sessions.
//!
//! A server is a service process ([`scorel_process`]), or a connection that is one: it is started on first need, stopped
//! when it is idle, and started again after a failure. An [`McpClient`] is one server with what it has listed. An [`McpPool`] has one for
//! all that share it. [`McpTool`] offers a tool to a model.

mod call_reply;
mod client;
mod content;
mod era;
mod handshake;
mod listing;
mod pages;
mod params;
mod pool;
mod port;
mod progress;
mod prompt;
mod service;
mod settings;
mod tool;

pub use call_reply::add_content;
pub use client::McpClient;
pub use content::{Content, Resource};
pub use era::{Era, EraMemory};
pub use listing::McpListing;
pub use pages::PagedList;
pub use pool::{McpKey, McpPool};
pub use port::{McpPort, McpStart};
pub use prompt::{ListedPrompt, PromptArgument};
pub use settings::McpSettings;
pub use tool::McpTool;
