use serde::Serialize;

/// The section of the reference that lists a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodGroup {
    /// The daemon itself.
    Host,
    /// Registered directories.
    Projects,
    /// The life cycle and metadata of sessions.
    Sessions,
    /// Agents, and the tasks that sessions give them.
    Agents,
    /// Workflows and their runs.
    Runs,
    /// Messages, turns, queue, tree.
    Conversation,
    /// Events, blobs and subscriptions.
    Reading,
}
