//! Prompts and resources of servers of the Model Context Protocol. Knows no sessions.
//!
//! A [`ServerPrompt`] is a message for a user to send, as a command. The [`McpResourceTool`] reads the resources of all servers.

mod prompt_arguments;
mod prompt_reply;
mod resource_tool;
mod resources;
mod server_prompt;
mod words;

pub use resource_tool::McpResourceTool;
pub use server_prompt::{PromptError, ServerPrompt};
