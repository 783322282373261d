use crate::named::named;

named! {
    /// The amount that runs without a question, from the least to the most.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PermissionMode {
        /// Reads; nothing is written.
        #[default]
        Readonly = "readonly",
        /// Reads and writes in the project; asks about commands that do more than read.
        Ask = "ask",
        /// As `ask`, and runs commands in the sandbox.
        Workspace = "workspace",
        /// All that no rule denies or asks about.
        Full = "full",
    }
}
