/// A look at what an agent has left undone in its worktree.
#[derive(Debug, Clone)]
pub(crate) enum WorktreeLook {
    Going,
    /// A sentence on it, if there is something to say.
    Done(Option<String>),
}
