//! The protocols by name.

/// The protocol that a runner speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireKind {
    Codex,
    ClaudeCode,
    Acp,
    Command(CommandOutput),
}

/// What the output of a plain command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOutput {
    /// The answer.
    Text,
    /// One event a line.
    Events,
}
