use crate::named::named;

named! {
    /// Why an agent was not given a task: `details.kind` of `spawn_refused`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SpawnRefusal {
        /// The agent is disabled.
        Disabled = "disabled",
        /// The session is itself too far below the first one.
        Depth = "depth",
        /// The session has as many unfinished runtimes, or the turn has spawned as many, as is allowed.
        TooMany = "too_many",
        /// As many runtimes wait for the agent as is allowed.
        QueueFull = "queue_full",
        /// The session and its runtimes have cost as much as is allowed.
        Budget = "budget",
        /// The run of a workflow that the session works for has used as much as it may.
        Run = "run",
        /// The session is archived.
        Archived = "archived",
    }
}
