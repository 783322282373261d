use crate::named::named;

named! {
    /// Why a run is in its phase.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunReason {
        /// It was started.
        Started = "started",
        /// It was resumed from its document.
        Resumed = "resumed",
        /// A message came.
        Message = "message",
        /// It goes on by itself.
        Autopilot = "autopilot",
        /// An end node is completed.
        EndReached = "end_reached",
        /// The model has ended its turn: it asks, or the node waits for a person.
        Question = "question",
        /// The turns that went on by themselves did not change the document, or stayed at one node.
        NoProgress = "no_progress",
        /// Its turn was cancelled.
        Cancelled = "cancelled",
        /// Its turn, or the run, has reached a limit.
        Limit = "limit",
        /// The daemon ended while a turn ran.
        Interrupted = "interrupted",
        /// Its turn ended with an error.
        Error = "error",
        /// Its document cannot be used as it is.
        StateInvalid = "state_invalid",
        /// The copy of its package is gone, or is not what it was.
        PackageMissing = "package_missing",
    }
}
