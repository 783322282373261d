use crate::named::named;

named! {
    /// The status of a runtime.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum AgentTaskStatus {
        /// It waits until its agent may run one more.
        #[default]
        Queued = "queued",
        /// Its session works.
        Running = "running",
        /// Its session waits for a person: for the answer to a question, or with a paused queue.
        WaitingInput = "waiting_input",
        /// It ended: its last turn completed.
        Completed = "completed",
        /// It ended: its last turn failed or reached a limit.
        Failed = "failed",
        /// It ended: it was stopped, its last turn was cancelled or interrupted, or it never ran.
        Interrupted = "interrupted",
    }
}

impl AgentTaskStatus {
    /// Returns whether it has ended. It never gets another status then.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Interrupted)
    }
}
