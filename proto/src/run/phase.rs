use crate::named::named;

named! {
    /// The phase of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunPhase {
        /// A turn of it runs, or is about to.
        Running = "Running",
        /// It goes on with a message, or when it is resumed.
        WaitingUser = "WaitingUser",
        /// An end node is completed.
        Completed = "Completed",
        /// A turn has failed. A message or `resumeRun` goes on.
        Failed = "Failed",
    }
}
