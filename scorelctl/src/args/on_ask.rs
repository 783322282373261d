use clap::ValueEnum;

/// The answer when a tool needs permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnAsk {
    /// Prompt on the terminal
    Ask,
    /// Deny the request
    Deny,
    /// Wait for an answer from another client
    Wait,
}
