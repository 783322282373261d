//! Prompting and observing the session of a runtime.

use std::sync::Arc;

use scorel_proto::{
    AgentTask, AgentTaskStatus, Block, ClientId, OWN_RUNNER, RuntimeSpawnedBody, SUMMARY_CHARS,
    SendMessageResult, Seq, WhileRunning,
};
use scorel_session::{CancelAndClear, Lane, MutationCommand, SendRequest, SessionError};
use tokio::time::Instant;

use super::AgentTaskStep;
use crate::child_state::ChildState;
use crate::error::OrchestratorError;
use crate::records::{AgentTaskChange, command_id, stop_all};
use crate::run_report::doing;
use crate::summaries::{LOGGED_EVERY, SummaryDue};
use crate::task_lane::TaskLane as _;

impl AgentTaskStep<'_> {
    /// The number of the record in the session that holds the task, if the session has it for sure.
    pub(super) fn prompted(&self) -> Option<Seq> {
        self.orchestrator.state().prompts.get(&self.id).copied()
    }

    /// Sends the task to the session. The command's id is the runtime's, so a session that has it already
    /// says so and gets it once.
    pub(super) async fn prompt(
        &self,
        spawned: RuntimeSpawnedBody,
        child: &Arc<Lane>,
    ) -> Result<(), SessionError> {
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
            mode: None,
            channel: None,
        };
        let seq = match child.mutate(request).await? {
            SendMessageResult::Accepted { seq, .. } | SendMessageResult::Queued { seq, .. } => seq,
        };
        self.orchestrator.state().prompts.insert(self.id, seq);
        Ok(())
    }

    /// The task as the agent gets it. Our own engine has the agent's prompt in its instructions; a
    /// foreign agent gets it before its first task.
    pub(super) async fn with_instructions(&self, spawned: RuntimeSpawnedBody) -> String {
        let agents = self.orchestrator.agents(self.lane.project_id()).await;
        let config = agents.agents.get(&spawned.agent_type);
        let foreign = config
            .map(|policy| &policy.config)
            .filter(|config| config.runner != OWN_RUNNER && !spawned.continued);
        match foreign.and_then(|config| config.prompt.as_deref()) {
            Some(prompt) => format!("{prompt}\n\n{}", spawned.prompt),
            None => spawned.prompt,
        }
    }

    /// Cancels what the session does, its own runtimes included. Repeated until it has come to rest.
    pub(super) async fn stop(&self, child: &Arc<Lane>) -> Result<(), OrchestratorError> {
        let state = ChildState::of(child);
        if !child.runtimes(|all| all.unfinished().all(|(_, runtime)| runtime.stopping)) {
            child.persist(stop_all).await?;
        }
        if state.queued > 0 {
            let command = MutationCommand::new(ClientId::Daemon, None, "stop", &self.id);
            let cancel = CancelAndClear {
                command,
                expected: None,
                clears: true,
                stops_children: false,
            };
            child.mutate(cancel).await?;
        } else {
            // Leaves no record, so it may be repeated with each look.
            let _taken = child.cancel(None);
        }
        Ok(())
    }

    /// Records whether the session waits for a person, and tells what it does.
    pub(super) async fn describe(
        &self,
        runtime: &AgentTask,
        child: &Arc<Lane>,
    ) -> Result<(), OrchestratorError> {
        let state = ChildState::of(child);
        let is_held = state.is_idle && state.is_paused && state.queued > 0;
        let change = AgentTaskChange {
            waiting_for: state.question.clone(),
            stopping: runtime.stopping,
            ..AgentTaskChange::to(match state.question.is_some() || is_held {
                true => AgentTaskStatus::WaitingInput,
                false => AgentTaskStatus::Running,
            })
        };
        let prompt = self.prompted().unwrap_or(Seq::ZERO);
        let doing = doing(child, prompt, SUMMARY_CHARS).await?;
        let Some((text, source)) = doing else {
            return Ok(self.change(change).await?);
        };
        let due = {
            let mut state = self.orchestrator.state();
            state.summaries.told(self.id, &text, Instant::now())
        };
        let summary = (due == SummaryDue::Log).then(|| (text.clone(), source));
        let change = AgentTaskChange { summary, ..change };
        self.change(change).await?;
        if matches!(due, SummaryDue::Feed | SummaryDue::Later) {
            self.orchestrator
                .look_at_later(self.lane.id(), LOGGED_EVERY);
        }
        if due == SummaryDue::Feed
            && let Some(mut info) = self.lane.runtime(self.id)
        {
            info.summary = Some(text);
            self.orchestrator.sessions().host().runtime_changed(info);
        }
        Ok(())
    }
}
