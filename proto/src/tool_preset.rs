use crate::named::named;

named! {
    /// The set of tools that a session's model is offered.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum ToolPreset {
        /// The tools of a coding agent: files, search, commands and a to-do list.
        #[default]
        Coding = "coding",
        /// Only tools that change nothing.
        Readonly = "readonly",
        /// All tools, including those that access the web.
        All = "all",
        /// The tools that give tasks to agents, and those that change nothing.
        Orchestrator = "orchestrator",
        /// No tools.
        None = "none",
    }
}
