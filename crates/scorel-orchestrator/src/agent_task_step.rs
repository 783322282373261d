//! The next step of one runtime.

mod ending;
mod making;
mod work;

use std::sync::Arc;

use scorel_proto::{AgentTask, AgentTaskId, AgentTaskStatus, Seq};
use scorel_session::{Lane, Section, SessionError};

use crate::child_state::ChildState;
use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;
use crate::outcome::{ending, failed};
use crate::records::{AgentTaskChange, AgentTaskEnding, bind, change_status, record_delivery};
use crate::run_report::RunReport;
use crate::step::{ChildObservation, NextStep, Observations};
use crate::task_lane::TaskLane as _;
use crate::worktree_look::WorktreeLook;

/// The next step of one runtime. Never holds a lane while it waits for another.
pub(crate) struct AgentTaskStep<'a> {
    pub(crate) orchestrator: &'a Orchestrator,
    /// That of the session which gave the task.
    pub(crate) lane: &'a Arc<Lane>,
    pub(crate) id: AgentTaskId,
}

impl AgentTaskStep<'_> {
    /// Takes step after step, until the runtime waits for something.
    pub(crate) async fn take(&self) -> Result<(), OrchestratorError> {
        loop {
            let runtime = self.lane.runtimes(|all| all.get(self.id).cloned());
            let Some(runtime) = runtime else {
                return Ok(());
            };
            let child = self.child(&runtime).await?;
            let (there, state) = match &child {
                Child::There(lane) => (Some(lane), Some(ChildState::of(lane))),
                Child::Missing | Child::Unknown | Child::Failed(_) => (None, None),
            };
            // Each look at the state on its own: the guard of one in the literal would still be held at the
            // next.
            let admitted = self.orchestrator.state().schedule.is_admitted(self.id);
            let prompted = self.prompted().is_some();
            let seen = Observations {
                admitted,
                claimed: self.is_claimed(),
                child: match (&child, &state) {
                    (Child::There(_), Some(state)) => ChildObservation::There { prompted, state },
                    (Child::Unknown, _) => ChildObservation::Unknown,
                    _ => ChildObservation::Missing,
                },
            };
            let step = NextStep::of(&runtime, &seen);
            if step != NextStep::End {
                self.orchestrator.state().looks.remove(&self.id);
            }
            let done = match (step, there) {
                (
                    NextStep::Prompt | NextStep::Stop | NextStep::Describe | NextStep::End,
                    Some(lane),
                ) => self.with_child(step, &runtime, lane).await?,
                (NextStep::EndLost, _) => {
                    let reason = match child {
                        Child::Failed(reason) => reason,
                        _ if runtime.spawned_seq.is_none() => {
                            "its first record was lost".to_owned()
                        }
                        _ => "its session was deleted".to_owned(),
                    };
                    self.finish(&runtime, failed(reason)).await?;
                    true
                }
                _ => self.alone(step, &runtime).await?,
            };
            if !done || !step.leads_on() {
                return Ok(());
            }
        }
    }

    /// The session of the runtime, as far as the next step depends on it.
    async fn child(&self, runtime: &AgentTask) -> Result<Child, OrchestratorError> {
        let is_needed = runtime.finished_seq.is_none()
            && (!runtime.bound || runtime.status != AgentTaskStatus::Queued);
        let Some(id) = runtime.session_id.filter(|_| is_needed) else {
            return Ok(Child::Unknown);
        };
        match self.orchestrator.sessions().get(id).await {
            Ok(lane) => Ok(Child::There(lane)),
            Err(SessionError::NotFound(_)) => Ok(Child::Missing),
            Err(SessionError::Failed { reason, .. }) => Ok(Child::Failed(reason)),
            Err(error) => Err(error.into()),
        }
    }

    /// A step that needs the parent only. Returns whether it was taken.
    async fn alone(&self, step: NextStep, runtime: &AgentTask) -> Result<bool, OrchestratorError> {
        match step {
            NextStep::MakeSession => return self.make(runtime).await,
            NextStep::Bind => {
                let id = self.id;
                self.lane.persist(move |section| bind(section, id)).await?;
            }
            NextStep::Begin => {
                self.change(AgentTaskChange::to(AgentTaskStatus::Running))
                    .await?;
            }
            NextStep::EndUnbegun => {
                self.finish(runtime, AgentTaskEnding::before_it_began())
                    .await?;
            }
            NextStep::Deliver => self.deliver_finished(runtime).await?,
            NextStep::RecordDelivery => {
                let id = self.id;
                let record = move |section: &mut Section<'_>| record_delivery(section, id);
                self.lane.persist(record).await?;
            }
            _ => {}
        }
        Ok(true)
    }

    /// Records a change of the status.
    async fn change(&self, change: AgentTaskChange) -> Result<(), SessionError> {
        let id = self.id;
        let change = move |section: &mut Section<'_>| change_status(section, id, &change);
        self.lane.persist(change).await
    }

    async fn with_child(
        &self,
        step: NextStep,
        runtime: &AgentTask,
        child: &Arc<Lane>,
    ) -> Result<bool, OrchestratorError> {
        match step {
            NextStep::Prompt => match self.prompt(self.spawned(runtime).await?.1, child).await {
                Ok(()) => {}
                Err(SessionError::ShuttingDown) => return Ok(false),
                Err(error @ (SessionError::Stalled(_) | SessionError::OutOfDescriptors(_))) => {
                    return Err(error.into());
                }
                Err(error) => self.finish(runtime, failed(error.to_string())).await?,
            },
            NextStep::Stop => self.stop(child).await?,
            NextStep::Describe => self.describe(runtime, child).await?,
            NextStep::End => {
                let WorktreeLook::Done(note) = self.left_undone(child) else {
                    return Ok(false);
                };
                let prompt = self.prompted().unwrap_or(Seq::ZERO);
                let report = RunReport::read(child, prompt.previous()).await?;
                let mut ending = ending(report);
                if let Some(note) = note {
                    ending.reason = format!("{}; {note}", ending.reason);
                }
                self.finish(runtime, ending).await?;
            }
            _ => {}
        }
        Ok(true)
    }
}

/// The session of a runtime.
enum Child {
    /// Not needed now.
    Unknown,
    Missing,
    /// It cannot be used, for this reason.
    Failed(String),
    There(Arc<Lane>),
}
