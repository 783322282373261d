use std::sync::Arc;

use scorel_proto::{AgentTaskId, SessionId, SessionView, SpawnRefusal, SpawnRuntimeResult};
use scorel_session::{Lane, ReceiptAnswer, SessionError};

use crate::admission::admitted;
use crate::agents::ProjectAgents;
use crate::error::OrchestratorError;
use crate::orchestrator::{Orchestrator, Undo};
use crate::outcome::beginning;
use crate::reconcile::tasks;
use crate::records::{SpawnOrder, SpawnRequest};
use crate::schedule::{Rules, bucket_of};
use crate::task_lane::TaskLane as _;

/// The largest prompt, in bytes.
const MAX_PROMPT: usize = 256 * 1024;

/// The largest title, in bytes.
const MAX_TITLE: usize = 1024;

/// The largest title that is made from a prompt, in bytes.
const MADE_TITLE: usize = 80;

impl Orchestrator {
    /// Gives an agent a task. It is durable when this returns; it may have to wait.
    ///
    /// # Errors
    ///
    /// See [`OrchestratorError`]; nothing has changed then.
    pub async fn spawn(
        &self,
        parent: SessionId,
        order: SpawnOrder,
    ) -> Result<SpawnRuntimeResult, OrchestratorError> {
        let lane = self.sessions().get(parent).await?;
        // Before the configuration is looked at, which may have lost the agent since.
        if let Some(ReceiptAnswer::Spawned(answer)) = lane.receipt(&order.command)? {
            return Ok(answer);
        }
        let mut order = admitted(self, &lane, order).await?;
        if order.workflow_id.is_none() {
            // Tasks that a run gives to agents count for its package.
            let package = |view: &SessionView| Some(view.state.run.as_ref()?.package.id.clone());
            order.workflow_id = lane.view(package);
        }
        let agents = self.agents(lane.project_id()).await;
        check_texts(&order)?;
        let name = order.agent_type.as_str();
        let is_enabled = agents.find(name)?.config.enabled;
        let of_run = lane.view(|view| view.state.run.is_some()) || lane.depth() > 0;
        let giving = match of_run {
            true => Some(self.giving.lock().await),
            false => None,
        };
        let place = match is_enabled {
            false => Err((SpawnRefusal::Disabled, None)),
            true => match self.check_use(&lane, agents.limits.max_cost).await? {
                Some(refused) => Err(refused),
                None => self.place_for(&lane, &order, &agents),
            },
        };
        let title = order.title.as_deref().map(str::trim);
        let title = title.filter(|title| !title.is_empty());
        let title = title.map_or_else(|| made_title(&order.prompt), str::to_owned);
        let request = SpawnRequest {
            runtime_id: AgentTaskId::generate(),
            session_id: SessionId::generate(),
            title,
            limits: agents.limits,
            refused: place.as_ref().err().copied(),
            order,
        };
        let spawned = lane.mutate(request).await?;
        // Now, so that the next spawn counts it.
        let (seq, unsettled) = lane.unsettled_runtimes();
        self.refresh(parent, seq, tasks(&lane, &unsettled));
        drop((place, giving));
        // A runtime that was stopped meanwhile must not stay in the schedule.
        self.look_at(parent);
        Ok(spawned)
    }

    /// Reserves a place in the task's queue, until the schedule has the task or the spawn was given up.
    ///
    /// # Errors
    ///
    /// Why the task is refused, beyond what the session itself knows.
    fn place_for(
        &self,
        lane: &Lane,
        order: &SpawnOrder,
        agents: &ProjectAgents,
    ) -> Result<Undo<'_>, (SpawnRefusal, Option<u64>)> {
        let limits = agents.limits;
        if lane.depth() >= limits.max_depth {
            return Err((SpawnRefusal::Depth, Some(u64::from(limits.max_depth))));
        }
        let project = lane.project_id();
        let workflow = order.workflow_id.as_deref();
        let bucket = bucket_of(Some(agents), project, &order.agent_type, workflow);
        let rules = Rules::from([(project, agents.clone())]);
        let max = limits.max_queued;
        let mut state = self.state();
        let coming = state.spawning.of(&bucket) + 1;
        if state.schedule.queued_with(&bucket, coming, &rules) > max as usize {
            return Err((SpawnRefusal::QueueFull, Some(u64::from(max))));
        }
        state.spawning.begin(bucket.clone());
        Ok(self.undo_later(move |state| state.spawning.end(&bucket)))
    }

    /// The limit of cost, or of the run that the session works for, that keeps it from giving another task.
    async fn check_use(
        &self,
        lane: &Arc<Lane>,
        max_cost: Option<u64>,
    ) -> Result<Option<(SpawnRefusal, Option<u64>)>, SessionError> {
        if let Some(max) = max_cost
            && self.used(Arc::clone(lane)).await?.micro_usd >= max
        {
            return Ok(Some((SpawnRefusal::Budget, Some(max))));
        }
        let Some(used) = self.run_use(lane.id()).await? else {
            return Ok(None);
        };
        let host = Arc::clone(self.host());
        let reached = scorel_engine::spawn_blocking(move || host.reached_limit(&used)).await;
        let reached = reached.map_err(|error| SessionError::Internal(error.to_string()))?;
        Ok(reached.map(|limit| (SpawnRefusal::Run, Some(limit))))
    }
}

fn check_texts(order: &SpawnOrder) -> Result<(), OrchestratorError> {
    let invalid = |text: String| Err(OrchestratorError::InvalidParams(text));
    if order.prompt.trim().is_empty() {
        return invalid("`prompt` is empty".to_owned());
    }
    if order.prompt.len() > MAX_PROMPT {
        let limit = MAX_PROMPT as u64;
        return Err(SessionError::TooLarge { limit }.into());
    }
    let title = order.title.as_deref().unwrap_or_default();
    if title.len() > MAX_TITLE || title.chars().any(char::is_control) {
        return invalid(format!(
            "`title` is not one line of at most {MAX_TITLE} bytes"
        ));
    }
    let is_visible = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic());
    match order.workflow_id.as_deref() {
        Some(id) if id.len() > 128 || !is_visible(id) => {
            invalid("`workflowId` is not 1 to 128 visible ASCII characters".to_owned())
        }
        _ => Ok(()),
    }
}

fn made_title(prompt: &str) -> String {
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    beginning(&line, MADE_TITLE).to_owned()
}
