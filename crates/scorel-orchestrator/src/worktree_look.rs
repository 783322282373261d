use std::sync::Arc;

/// A look at what an agent has left undone in its worktree.
#[derive(Debug, Clone)]
pub(crate) enum WorktreeLook {
    /// With what tells it from other looks at the same worktree.
    Going(Arc<()>),
    /// A sentence on it, if there is something to say.
    Done(Option<String>),
}
