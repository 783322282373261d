//! Version 1 of the protocol.

mod agent;
mod cancel;
mod content;
mod follower;
mod link;
mod list;
mod news;
mod opening;
mod options;
mod projects;
mod prompt;
mod prompts;
mod questions;
mod session;
mod sessions;
mod tool_call;
mod transcript;

pub(crate) use agent::Agent;
