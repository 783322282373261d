use std::collections::BTreeMap;
use std::fmt;

use scorel_engine::{HookChain, ToolList};
use scorel_proto::{
    AgentConfig, AgentHistory, AgentInfo, AgentTaskId, EffectiveQuota, ProjectId, QuotaPolicy,
    QuotaSource, QuotaStrategy, SessionWorktree,
};
use scorel_session::SessionHeader;

use crate::error::OrchestratorError;
use crate::run_use::RunUse;

/// The configuration that the orchestrator works by. Methods may block on files.
pub trait AgentHost: fmt::Debug + Send + Sync {
    /// The agents as a project sees them now; without one, as the user has configured them.
    fn agents(&self, project_id: Option<ProjectId>) -> ProjectAgents;

    /// The hooks of a session's turns, for a task that no turn of it has given. `tools` are what such a task is a call
    /// of.
    ///
    /// # Errors
    ///
    /// Why they cannot be known. The task is refused then.
    fn hooks(&self, session: &SessionHeader, tools: &ToolList) -> Result<HookChain, String>;

    /// Makes the git worktree of a runtime, or finds it if it was made before. It begins at the commit of
    /// `beside`, the worktree of the session that gave the task, or at the project's.
    ///
    /// # Errors
    ///
    /// Why there is none, for people. It becomes the end of the runtime.
    fn worktree(
        &self,
        project_id: ProjectId,
        runtime_id: AgentTaskId,
        title: &str,
        beside: Option<&SessionWorktree>,
    ) -> Result<SessionWorktree, String>;

    /// The limit that keeps a run from giving agents another task, if it has reached one.
    fn reached_limit(&self, used: &RunUse) -> Option<u64>;

    /// A sentence on the work in a worktree once its agent is done: that the branch has no commit, or that
    /// changes are not committed. `None` if there is nothing to tell.
    fn left_undone(&self, worktree: &SessionWorktree) -> Option<String>;
}

/// The agents of a project, with the limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectAgents {
    pub agents: BTreeMap<String, AgentPolicy>,
    pub limits: OrchestratorLimits,
}

/// How alike a name must be to be suggested.
const LIKENESS: f64 = 0.75;

impl ProjectAgents {
    /// The agent with a name.
    ///
    /// # Errors
    ///
    /// [`OrchestratorError::AgentNotFound`], with the name that is most like it.
    pub fn find(&self, agent_type: &str) -> Result<&AgentPolicy, OrchestratorError> {
        let likeness = |known: &String| strsim::jaro_winkler(agent_type, known);
        self.agents.get(agent_type).ok_or_else(|| {
            let names = self.agents.keys().map(|known| (likeness(known), known));
            let like = names.filter(|(likeness, _)| *likeness >= LIKENESS);
            let best = like.max_by(|a, b| a.0.total_cmp(&b.0));
            OrchestratorError::AgentNotFound {
                agent_type: agent_type.to_owned(),
                suggestion: best.map(|(_, known)| known.clone()),
            }
        })
    }
}

/// An agent, and how many of its runtimes may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPolicy {
    pub config: AgentConfig,
    pub quota: QuotaPolicy,
    /// The most that the project's own file allows.
    pub cap: Option<u32>,
}

impl AgentPolicy {
    /// How many runtimes may run at once, of a workflow or of none.
    pub fn effective(&self, workflow_id: Option<&str>) -> EffectiveQuota {
        let quota = self.quota.effective(self.config.default_quota, workflow_id);
        match self.cap {
            Some(cap) if cap < quota.effective => EffectiveQuota {
                effective: cap,
                source: QuotaSource::Project,
            },
            _ => quota,
        }
    }

    /// How many runtimes of all workflows together may run at once.
    pub fn most(&self) -> u32 {
        let serial = match self.quota.strategy {
            QuotaStrategy::Serial => Some(1),
            QuotaStrategy::Concurrent => None,
        };
        let limits = [self.cap, serial].into_iter().flatten();
        limits.min().unwrap_or(u32::MAX)
    }

    /// The agent as clients see it.
    pub fn info(&self, agent_type: &str, counts: AgentCounts) -> AgentInfo {
        AgentInfo {
            agent_type: agent_type.to_owned(),
            config: self.config.clone(),
            running: counts.running,
            queued: counts.queued,
            quota: self.effective(None),
            policy: (!self.quota.is_empty()).then(|| self.quota.clone()),
            finished: counts.history.finished,
            last_event: counts.history.last_event,
        }
    }
}

/// What the runtimes of an agent do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentCounts {
    pub running: u32,
    pub queued: u32,
    pub history: AgentHistory,
}

/// The section `[orchestrator]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrchestratorLimits {
    /// Runtimes that run at once, of all agents and projects.
    pub max_running: u32,
    /// Runtimes of one session that have not ended.
    pub max_open: u32,
    /// Runtimes that wait in one queue.
    pub max_queued: u32,
    pub max_spawns_per_turn: u32,
    /// How many sessions may be above an agent's.
    pub max_depth: u32,
    /// What a session and its runtimes may cost, in millionths of a US dollar.
    pub max_cost: Option<u64>,
}

impl Default for OrchestratorLimits {
    fn default() -> Self {
        Self {
            max_running: 8,
            max_open: 32,
            max_queued: 256,
            max_spawns_per_turn: 16,
            max_depth: 2,
            max_cost: None,
        }
    }
}

#[cfg(test)]
impl AgentPolicy {
    /// An enabled agent of our own engine.
    pub(crate) fn for_test(default_quota: u32, quota: QuotaPolicy) -> Self {
        Self {
            config: AgentConfig {
                display_name: "Agent".to_owned(),
                description: String::new(),
                capabilities: Vec::new(),
                runner: "scorel".to_owned(),
                model: None,
                thinking_level: None,
                tools: None,
                prompt: None,
                workspace: scorel_proto::AgentWorkspace::Shared,
                default_quota,
                enabled: true,
                max_turn_tokens: None,
                max_turn_seconds: None,
                max_session_cost: None,
            },
            quota,
            cap: None,
        }
    }
}
