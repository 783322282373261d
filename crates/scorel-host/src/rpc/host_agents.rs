use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_orchestrator::ProjectAgents;
use scorel_proto::{AgentInfo, ProjectId};

use crate::host::Host;
use crate::rpc::call_error::CallError;

/// The agents as clients see them, as the configuration and the projects' policies have them now.
impl Host {
    /// All agents: in a project, with its settings and policies; without one, with their own quotas.
    pub(crate) async fn list_agents(
        &self,
        project: Option<ProjectId>,
    ) -> Result<Vec<AgentInfo>, CallError> {
        let agents = self.agent_policies(project).await?;
        let histories = self.orchestrator.histories(project).await?;
        let info = |(name, policy): (&String, &scorel_orchestrator::AgentPolicy)| {
            let counts = self.orchestrator.counts(project, name, &histories);
            policy.info(name, counts)
        };
        Ok(agents.agents.iter().map(info).collect())
    }

    /// One agent; see [`Self::list_agents`].
    pub(crate) async fn agent(
        &self,
        project: Option<ProjectId>,
        agent_type: &str,
    ) -> Result<AgentInfo, CallError> {
        let agents = self.agent_policies(project).await?;
        let policy = agents.find(agent_type)?;
        let histories = self.orchestrator.histories(project).await?;
        let counts = self.orchestrator.counts(project, agent_type, &histories);
        Ok(policy.info(agent_type, counts))
    }

    async fn agent_policies(&self, project: Option<ProjectId>) -> Result<ProjectAgents, CallError> {
        self.named_dir(project)?;
        let host = Arc::clone(self.orchestrator.host());
        // It checks whether a configuration file has changed.
        Ok(spawn_blocking(move || host.agents(project)).await?)
    }
}
