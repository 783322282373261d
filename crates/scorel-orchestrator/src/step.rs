use scorel_proto::{AgentTask, AgentTaskStatus, ResultDelivery};

use crate::child_state::ChildState;

/// The next step for a runtime. Each step is one section of one lane; after a crash the fold shows
/// whether it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// Nothing, until something happens.
    Wait,
    /// Make its session.
    MakeSession,
    /// Record that the session exists.
    Bind,
    /// Record that it runs.
    Begin,
    /// Send the task to the session.
    Prompt,
    /// Cancel what the session does.
    Stop,
    /// Record what it does, where that has changed.
    Describe,
    /// Deliver the result and record the end: it never began.
    EndUnbegun,
    /// The same: its session is gone.
    EndLost,
    /// The same: its session has come to rest.
    End,
    /// Deliver the result: the end is recorded already.
    Deliver,
    /// Record that the model has the result.
    RecordDelivery,
}

/// What the orchestrator sees beside the fold of the parent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observations<'a> {
    /// True if the schedule lets it begin.
    pub(crate) admitted: bool,
    /// True if an open call of the parent gives the result to the model.
    pub(crate) claimed: bool,
    pub(crate) child: ChildObservation<'a>,
}

/// The session of a runtime.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ChildObservation<'a> {
    /// Not looked for.
    Unknown,
    Missing,
    There {
        /// True if it is known to have the task.
        prompted: bool,
        state: &'a ChildState,
    },
}

impl NextStep {
    /// The next step for a runtime.
    pub(crate) fn of(runtime: &AgentTask, seen: &Observations<'_>) -> Self {
        // A placeholder: its first event was lost with a part of the log. Nothing can be done for it but to
        // end it, if a person wants that.
        if runtime.spawned_seq.is_none() {
            return match runtime.stopping && runtime.finished_seq.is_none() {
                true => Self::EndLost,
                false => Self::Wait,
            };
        }
        if runtime.finished_seq.is_some() {
            return Self::after_the_end(runtime, seen.claimed);
        }
        let is_queued = runtime.status == AgentTaskStatus::Queued;
        if is_queued && runtime.stopping {
            return Self::EndUnbegun;
        }
        if !runtime.bound {
            return match seen.child {
                ChildObservation::There { .. } => Self::Bind,
                ChildObservation::Missing | ChildObservation::Unknown => Self::MakeSession,
            };
        }
        if is_queued {
            return match seen.admitted {
                true => Self::Begin,
                false => Self::Wait,
            };
        }
        match &seen.child {
            ChildObservation::Unknown => Self::Wait,
            ChildObservation::Missing => Self::EndLost,
            ChildObservation::There {
                prompted: false, ..
            } => Self::Prompt,
            ChildObservation::There { state, .. } => Self::while_it_runs(runtime, state),
        }
    }

    fn while_it_runs(runtime: &AgentTask, child: &ChildState) -> Self {
        if child.is_idle && child.queued == 0 && child.has_settled {
            return Self::End;
        }
        if runtime.stopping {
            return Self::Stop;
        }
        Self::Describe
    }

    fn after_the_end(runtime: &AgentTask, claimed: bool) -> Self {
        if runtime.is_settled() || runtime.deliver == ResultDelivery::None {
            return Self::Wait;
        }
        if runtime.delivered.is_some() {
            return Self::RecordDelivery;
        }
        match runtime.offered.is_some() || claimed {
            true => Self::Wait,
            false => Self::Deliver,
        }
    }

    /// Returns whether the fold may ask for another step right after this one. The others wait for something to
    /// happen.
    pub(crate) const fn leads_on(self) -> bool {
        !matches!(self, Self::Wait | Self::Stop | Self::Describe)
    }
}
