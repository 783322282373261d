use serde::{Deserialize, Serialize};

/// What a method needs and what a caller has; each class includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Looks at things.
    Read,
    /// Changes sessions and answers requests.
    Control,
    /// Changes the daemon and what it owns.
    Admin,
}
