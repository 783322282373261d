//! The protocols.

pub(crate) mod acp;
mod claude_blocks;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod command;
mod json;
