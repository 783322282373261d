//! The model's guidance besides the conversation: the system prompt, guide files of the user and
//! the project, skills, and the user's trust in what a project brings.

mod project;

pub mod extensions;
pub mod instructions;
pub mod mcp;
pub mod skills;
pub mod trust;
