//! Prompts and resources of servers of the Model Context Protocol. Knows no sessions.
//!
//! A [`ServerPrompt`] is a message for a user to send, as a command. [`McpResources`] is the tool that reads the resources of all servers.

mod mcp_resources;
mod prompt_arguments;
mod prompt_reply;
mod resources;
mod server_prompt;
mod words;

pub use mcp_resources::McpResources;
pub use server_prompt::{PromptError, ServerPrompt};
