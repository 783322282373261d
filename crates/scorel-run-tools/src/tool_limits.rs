use crate::limits::MAX_WRITTEN_BYTES;

/// The limits that the user's configuration sets for runs: `[workflow]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLimits {
    /// Tools that runs may use; all if empty. A name, or the beginning of names with `*` after it.
    pub allow: Vec<String>,
    /// Tools that they may not use.
    pub deny: Vec<String>,
    /// Bytes of a file that a model reads.
    pub max_read_bytes: u64,
    /// Bytes that a model writes at once.
    pub max_write_bytes: u64,
    /// True if runs may use servers of the Model Context Protocol, those that their agents name.
    pub servers: bool,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            deny: Vec::new(),
            max_read_bytes: MAX_WRITTEN_BYTES,
            max_write_bytes: MAX_WRITTEN_BYTES,
            servers: true,
        }
    }
}
