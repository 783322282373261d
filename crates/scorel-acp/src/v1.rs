//! Version 1 of the protocol.

mod agent;
mod cancel;
mod change;
mod commands;
mod content;
mod follower;
mod list;
mod mcp;
mod note;
mod open;
mod open_session;
mod options;
mod path;
mod projects;
mod prompt;
mod prompts;
mod questions;
mod sessions;
mod tool_call;
mod transcript;

pub(crate) use agent::Agent;
