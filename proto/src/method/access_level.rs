use serde::{Deserialize, Serialize};

/// The permission that a method requires. Each level includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessLevel {
    /// Read projects, sessions and events.
    Read,
    /// Send messages to sessions and change them.
    Control,
    /// Register and remove directories, and stop the daemon.
    Admin,
}
