use crate::named::named;

named! {
    /// The purpose of messages to the session of a run.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum RunMode {
        /// The run: a turn is told of the current node and may change the run's document.
        #[default]
        Run = "run",
        /// Anything: the model knows nothing of the run but its files, which it can only read.
        Chat = "chat",
        /// Anything, answered as the run's active agent.
        Agent = "agent",
    }
}
