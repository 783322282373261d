use std::time::Duration;

/// The settings of a server that its client knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSettings {
    /// Its name, a part of those of its tools.
    pub name: String,
    /// True if a tool that says that it only reads is believed.
    pub trust_read_only: bool,
    /// The time that a call may take without a sign of progress.
    pub timeout: Duration,
    /// The time without a call after which it is stopped; `None` for never.
    pub idle: Option<Duration>,
}
