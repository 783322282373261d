//! One look at the runtimes of a session: for each, the next step that its fold asks for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{
    AgentRuntime, AgentWorkspace, Block, ClientId, CommandId, PersistentBody, ResultDelivery,
    RuntimeFinishedBody, RuntimeId, RuntimeSpawnedBody, RuntimeStatus, SendMessageResult, Seq,
    SessionAgent, SessionId, SessionKind, SessionParent, WhileRunning,
};
use scorel_session::{
    Lane, MutationCommand, NewSession, RuntimeChange, RuntimeEnding, SendRequest, SessionError,
};
use tokio::time::Instant;

use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;
use crate::outcome::{INLINE, beginning, ending, failed};
use crate::result_text::result_text;
use crate::schedule::Task;
use crate::step::{ChildSeen, NextStep, Seen};
use crate::summaries::{LOGGED_EVERY, SummaryDue};

/// How many characters of what a runtime does are told.
const SUMMARY_CHARS: usize = 200;

/// How often the places of a session's runtimes are recorded at most.
const PLACED_EVERY: Duration = Duration::from_secs(1);

/// When a step is tried again that could not be done now.
const RETRY: Duration = Duration::from_secs(1);

impl Orchestrator {
    /// Does what is to be done for the runtimes of a session.
    pub(crate) async fn reconcile(&self, parent: SessionId) {
        let lane = match self.parent_lane(parent).await {
            Ok(Some(lane)) => lane,
            Ok(None) => return self.state().schedule.forget(parent),
            Err(error) => {
                tracing::warn!(session = %parent, %error, "the runtimes of a session wait");
                return self.look_at_later(parent, RETRY);
            }
        };
        let unsettled: Vec<(RuntimeId, AgentRuntime)> = lane.runtimes(|all| {
            let unsettled = all.unsettled();
            unsettled
                .map(|(id, runtime)| (id, runtime.clone()))
                .collect()
        });
        if !self.watch(parent, !unsettled.is_empty()) && unsettled.is_empty() {
            return;
        }
        self.refresh(parent, tasks(&lane, &unsettled));
        for (id, _) in unsettled {
            let step = RuntimeStep {
                orchestrator: self,
                lane: &lane,
                id,
            };
            if let Err(error) = step.take().await {
                tracing::warn!(session = %parent, runtime = %id, %error, "a runtime waits");
                self.look_at_later(parent, RETRY);
            }
        }
        self.admit().await;
        self.record_places(&lane).await;
    }

    async fn parent_lane(&self, id: SessionId) -> Result<Option<Arc<Lane>>, OrchestratorError> {
        match self.sessions()?.get(id).await {
            Ok(lane) => Ok(Some(lane)),
            Err(SessionError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// At once for the first change, then at most every second.
    async fn record_places(&self, lane: &Arc<Lane>) {
        let parent = lane.id();
        let moved = self.places_of(parent).await;
        let is_other = |places: &scorel_session::RuntimePlaces| {
            lane.runtimes(|all| {
                places.places.iter().any(|(id, place)| {
                    let known = all.get(*id).and_then(|runtime| runtime.position);
                    known != Some((*place, places.queued))
                })
            })
        };
        let moved: Vec<_> = moved.into_iter().filter(is_other).collect();
        if moved.is_empty() {
            return;
        }
        let now = Instant::now();
        let last = self.state().placed.get(&parent).copied();
        let wait = last.and_then(|last| PLACED_EVERY.checked_sub(now.duration_since(last)));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            return self.look_at_later(parent, wait);
        }
        self.state().placed.insert(parent, now);
        for places in moved {
            if let Err(error) = lane.place_runtimes(places).await {
                tracing::warn!(session = %parent, %error, "places were not recorded");
            }
        }
    }
}

/// What the schedule has to know of the runtimes that have not ended.
fn tasks(lane: &Lane, unsettled: &[(RuntimeId, AgentRuntime)]) -> Vec<(RuntimeId, Task)> {
    let project_id = lane.project_id();
    let task = |(id, runtime): &(RuntimeId, AgentRuntime)| {
        let spawned_seq = runtime.spawned_seq?;
        let task = Task {
            parent: lane.id(),
            project_id,
            agent_type: runtime.agent_type.clone(),
            workflow_id: runtime.workflow_id.clone(),
            session_id: runtime.session_id.filter(|_| runtime.bound),
            status: runtime.status,
            position: runtime.position.map(|(place, _)| place),
            started_at: runtime.started_at,
            spawned_seq,
        };
        (!runtime.status.is_final()).then_some((*id, task))
    };
    unsettled.iter().filter_map(task).collect()
}

/// The next step of one runtime. Never holds a lane while it waits for another.
struct RuntimeStep<'a> {
    orchestrator: &'a Orchestrator,
    /// That of the session which gave the task.
    lane: &'a Arc<Lane>,
    id: RuntimeId,
}

impl RuntimeStep<'_> {
    /// Takes step after step, until the runtime waits for something.
    async fn take(&self) -> Result<(), OrchestratorError> {
        loop {
            let runtime = self.lane.runtimes(|all| all.get(self.id).cloned());
            let Some(runtime) = runtime else {
                return Ok(());
            };
            let child = self.child(&runtime).await?;
            let (there, state) = match &child {
                Child::There(lane) => (Some(lane), Some(lane.child_state())),
                Child::Missing | Child::Unknown | Child::Failed(_) => (None, None),
            };
            // Each look at the state on its own: the guard of one in the literal would still be held at the
            // next.
            let admitted = self.orchestrator.state().schedule.is_admitted(self.id);
            let prompted = self.prompted().is_some();
            let seen = Seen {
                admitted,
                claimed: self.is_claimed(),
                child: match (&child, &state) {
                    (Child::There(_), Some(state)) => ChildSeen::There { prompted, state },
                    (Child::Unknown, _) => ChildSeen::Unknown,
                    _ => ChildSeen::Missing,
                },
            };
            let step = NextStep::of(&runtime, &seen);
            let done = match (step, there) {
                (
                    NextStep::Prompt | NextStep::Stop | NextStep::Describe | NextStep::End,
                    Some(lane),
                ) => self.with_child(step, &runtime, lane).await?,
                (NextStep::EndLost, _) => {
                    let reason = match child {
                        Child::Failed(reason) => reason,
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
    async fn child(&self, runtime: &AgentRuntime) -> Result<Child, OrchestratorError> {
        let is_needed = runtime.finished_seq.is_none()
            && (!runtime.bound || runtime.status != RuntimeStatus::Queued);
        let Some(id) = runtime.session_id.filter(|_| is_needed) else {
            return Ok(Child::Unknown);
        };
        match self.orchestrator.sessions()?.get(id).await {
            Ok(lane) => Ok(Child::There(lane)),
            Err(SessionError::NotFound(_)) => Ok(Child::Missing),
            Err(SessionError::Failed { reason, .. }) => Ok(Child::Failed(reason)),
            Err(error) => Err(error.into()),
        }
    }

    /// A step that needs the parent only. Returns whether it was taken.
    async fn alone(
        &self,
        step: NextStep,
        runtime: &AgentRuntime,
    ) -> Result<bool, OrchestratorError> {
        match step {
            NextStep::MakeSession => return self.make(runtime).await,
            NextStep::Bind => self.lane.bind_runtime(self.id).await?,
            NextStep::Begin => {
                let running = RuntimeChange::to(RuntimeStatus::Running);
                self.lane.change_runtime(self.id, running).await?;
            }
            NextStep::EndUnbegun => {
                self.finish(runtime, RuntimeEnding::before_it_began())
                    .await?;
            }
            NextStep::Deliver => self.deliver_finished(runtime).await?,
            NextStep::RecordDelivery => self.lane.record_delivery(self.id).await?,
            _ => {}
        }
        Ok(true)
    }

    async fn with_child(
        &self,
        step: NextStep,
        runtime: &AgentRuntime,
        child: &Arc<Lane>,
    ) -> Result<bool, OrchestratorError> {
        match step {
            NextStep::Prompt => match self.prompt(runtime, child).await {
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
                let prompt = self.prompted().unwrap_or(Seq::ZERO);
                let report = child.run_report(prompt.previous()).await?;
                self.finish(runtime, ending(report)).await?;
            }
            _ => {}
        }
        Ok(true)
    }

    /// Makes the session of the runtime, with the id that `runtime_spawned` has given it.
    async fn make(&self, runtime: &AgentRuntime) -> Result<bool, OrchestratorError> {
        let made = self.make_session(self.spawned(runtime).await?).await;
        match made {
            Ok(()) => {}
            Err(MakeError::Session(
                error @ (SessionError::Stalled(_) | SessionError::OutOfDescriptors(_)),
            )) => return Err(error.into()),
            Err(MakeError::Session(SessionError::ShuttingDown)) => return Ok(false),
            Err(MakeError::Session(error)) => {
                self.finish(runtime, failed(error.to_string())).await?;
            }
            Err(MakeError::Impossible(reason)) => self.finish(runtime, failed(reason)).await?,
            Err(MakeError::Stopping(error)) => return Err(error),
        }
        Ok(true)
    }

    async fn make_session(
        &self,
        (event_id, spawned): (scorel_proto::EventId, RuntimeSpawnedBody),
    ) -> Result<(), MakeError> {
        if spawned.continued {
            return Err(MakeError::Impossible("its session was deleted".to_owned()));
        }
        let (orchestrator, project_id) = (self.orchestrator, self.lane.project_id());
        let agents = orchestrator.agents(project_id).await;
        let name = spawned.agent_type.as_str();
        let Some(policy) = agents.agents.get(name) else {
            let reason = format!("the agent `{name}` is not configured any more");
            return Err(MakeError::Impossible(reason));
        };
        let config = &policy.config;
        let worktree = match config.workspace {
            AgentWorkspace::Shared => None,
            AgentWorkspace::Worktree => {
                let (host, id) = (Arc::clone(orchestrator.host()), self.id);
                let title = spawned.title.clone();
                let made =
                    tokio::task::spawn_blocking(move || host.worktree(project_id, id, &title));
                let made = made
                    .await
                    .map_err(|error| MakeError::Impossible(error.to_string()))?;
                Some(made.map_err(MakeError::Impossible)?)
            }
        };
        let new = NewSession {
            project_id,
            kind: SessionKind::Subagent,
            parent: Some(SessionParent {
                session_id: self.lane.id(),
                event_id: Some(event_id),
                task_id: Some(self.id.to_string()),
            }),
            client_id: ClientId::Daemon,
            title: Some(spawned.title),
            agent: Some(SessionAgent {
                agent_type: spawned.agent_type.clone(),
                depth: self.lane.depth() + 1,
                worktree,
            }),
            model: config.model.clone(),
            runner: Some(config.runner.clone()).filter(|name| name != scorel_proto::OWN_RUNNER),
            thinking_level: config.thinking_level,
            tools: config.tools,
        };
        let sessions = orchestrator.sessions().map_err(MakeError::Stopping)?;
        let made = sessions.create_as(spawned.session_id, new).await;
        made.map(drop).map_err(MakeError::Session)
    }

    /// The number of the record in the session that holds the task, if the session has it for sure.
    fn prompted(&self) -> Option<Seq> {
        self.orchestrator.state().prompts.get(&self.id).copied()
    }

    /// Sends the task to the session. The command's id is the runtime's, so a session that has it already
    /// says so and gets it once.
    async fn prompt(&self, runtime: &AgentRuntime, child: &Arc<Lane>) -> Result<(), SessionError> {
        let spawned = self.spawned(runtime).await;
        let (_, spawned) = spawned.map_err(|error| SessionError::Internal(error.to_string()))?;
        let text = self.with_instructions(spawned).await;
        let command_id = command_id(&self.id.to_string())?;
        let request = SendRequest {
            // Not by the text, which another configuration may change before this is repeated.
            command: MutationCommand::new(ClientId::Daemon, Some(command_id), "task", &self.id),
            content: vec![Block::text(text)],
            while_running: WhileRunning::FollowUp,
            parent_event_id: None,
            expected_leaf_id: None,
            model: None,
            runner: None,
        };
        let seq = match child.send(request).await? {
            SendMessageResult::Accepted { seq, .. } | SendMessageResult::Queued { seq, .. } => seq,
        };
        self.orchestrator.state().prompts.insert(self.id, seq);
        Ok(())
    }

    /// The task as the agent gets it. Our own engine has what an agent is told in its instructions; a foreign
    /// agent gets that before its first task.
    async fn with_instructions(&self, spawned: RuntimeSpawnedBody) -> String {
        let agents = self.orchestrator.agents(self.lane.project_id()).await;
        let config = agents.agents.get(&spawned.agent_type);
        let foreign = config
            .map(|policy| &policy.config)
            .filter(|config| config.runner != scorel_proto::OWN_RUNNER && !spawned.continued);
        match foreign.and_then(|config| config.prompt.as_deref()) {
            Some(prompt) => format!("{prompt}\n\n{}", spawned.prompt),
            None => spawned.prompt,
        }
    }

    /// Cancels what the session does, its own runtimes included. Repeated until it has come to rest.
    async fn stop(&self, child: &Arc<Lane>) -> Result<(), OrchestratorError> {
        let state = child.child_state();
        if !child.runtimes(|all| all.unfinished().all(|(_, runtime)| runtime.stopping)) {
            child.stop_runtimes().await?;
        }
        if state.queued > 0 {
            let command = MutationCommand::new(ClientId::Daemon, None, "stop", &self.id);
            child.cancel_and_clear(command, None).await?;
        } else {
            // Leaves no record, so it may be repeated with each look.
            let _taken = child.cancel(None);
        }
        Ok(())
    }

    /// Records whether the session waits for a person, and tells what it does.
    async fn describe(
        &self,
        runtime: &AgentRuntime,
        child: &Arc<Lane>,
    ) -> Result<(), OrchestratorError> {
        let state = child.child_state();
        let is_held = state.is_idle && state.is_paused && state.queued > 0;
        let change = RuntimeChange {
            waiting_for: state.question.clone(),
            stopping: runtime.stopping,
            ..RuntimeChange::to(match state.question.is_some() || is_held {
                true => RuntimeStatus::WaitingInput,
                false => RuntimeStatus::Running,
            })
        };
        let doing = child.doing(SUMMARY_CHARS).await?;
        let Some((text, source)) = doing else {
            self.lane.change_runtime(self.id, change).await?;
            return Ok(());
        };
        let due = {
            let mut state = self.orchestrator.state();
            state.summaries.told(self.id, &text, Instant::now())
        };
        let summary = (due == SummaryDue::Log).then(|| (text.clone(), source));
        let change = RuntimeChange { summary, ..change };
        self.lane.change_runtime(self.id, change).await?;
        if matches!(due, SummaryDue::Feed | SummaryDue::Later) {
            self.orchestrator
                .look_at_later(self.lane.id(), LOGGED_EVERY);
        }
        if due == SummaryDue::Feed
            && let Some(mut info) = self.lane.runtime(self.id)
        {
            info.summary = Some(text);
            self.orchestrator.sessions()?.host().runtime_changed(info);
        }
        Ok(())
    }

    /// The result, then the end. In this order a crash in between leaves a runtime that has not ended, and
    /// the result is found in the queue. A result that a call waits for comes with its end instead.
    async fn finish(
        &self,
        runtime: &AgentRuntime,
        mut ending: RuntimeEnding,
    ) -> Result<(), OrchestratorError> {
        if ending.last_message.len() > INLINE {
            let whole = std::mem::take(&mut ending.last_message);
            beginning(&whole, INLINE).clone_into(&mut ending.last_message);
            ending.blob = Some(self.lane.put_text(whole).await?);
        }
        if !self.is_claimed() {
            self.deliver(runtime, &body(self.id, runtime, &ending))
                .await?;
        }
        self.lane.finish_runtime(self.id, ending).await?;
        {
            let mut state = self.orchestrator.state();
            state.prompts.remove(&self.id);
            state.summaries.forget(self.id);
        }
        Ok(())
    }

    /// Delivers the result of a runtime whose end is recorded: a call that was to give it has not.
    async fn deliver_finished(&self, runtime: &AgentRuntime) -> Result<(), OrchestratorError> {
        let Some(seq) = runtime.finished_seq else {
            return Ok(());
        };
        if let PersistentBody::RuntimeFinished(body) = self.lane.record(seq).await?.body {
            self.deliver(runtime, &body).await?;
        }
        Ok(())
    }

    async fn deliver(
        &self,
        runtime: &AgentRuntime,
        body: &RuntimeFinishedBody,
    ) -> Result<(), OrchestratorError> {
        if runtime.deliver == ResultDelivery::None {
            return Ok(());
        }
        let agent = (runtime.agent_type.as_str(), runtime.title.as_str());
        let text = result_text(self.id, agent, body);
        self.lane
            .deliver_result(self.id, vec![Block::text(text)])
            .await?;
        Ok(())
    }

    /// Whether an open call of the session gives the result to the model.
    fn is_claimed(&self) -> bool {
        let open = self.lane.open_calls();
        let claimed: BTreeSet<RuntimeId> =
            self.orchestrator.state().claims.of(self.lane.id(), &open);
        claimed.contains(&self.id)
    }

    /// The record that spawned the runtime.
    async fn spawned(
        &self,
        runtime: &AgentRuntime,
    ) -> Result<(scorel_proto::EventId, RuntimeSpawnedBody), OrchestratorError> {
        let gone = || SessionError::Internal(format!("{} has no first record", self.id));
        let record = self
            .lane
            .record(runtime.spawned_seq.ok_or_else(gone)?)
            .await?;
        match record.body {
            PersistentBody::RuntimeSpawned(body) => Ok((record.id, body)),
            _ => Err(gone().into()),
        }
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

/// Why the session of a runtime could not be made.
enum MakeError {
    Session(SessionError),
    /// It never can be.
    Impossible(String),
    Stopping(OrchestratorError),
}

fn command_id(text: &str) -> Result<CommandId, SessionError> {
    text.parse()
        .map_err(|error| SessionError::Internal(format!("{error}")))
}

/// The record that an end will have, for the text of its result.
fn body(id: RuntimeId, runtime: &AgentRuntime, ending: &RuntimeEnding) -> RuntimeFinishedBody {
    RuntimeFinishedBody {
        stamp: scorel_proto::RuntimeStamp {
            runtime_id: id,
            version: runtime.version,
            status: ending.status,
            timestamp: 0,
        },
        final_status: ending.status,
        ended_at: 0,
        reason: ending.reason.clone(),
        last_message: ending.last_message.clone(),
        last_message_blob: ending.blob.clone(),
        metadata: ending.metadata.clone(),
    }
}
