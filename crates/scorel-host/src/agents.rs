use std::sync::Arc;

use scorel_orchestrator::{Orchestrator, ProjectAgents};
use scorel_proto::{AgentInfo, ProjectId};

use crate::call_error::CallError;
use crate::projects::ProjectRegistry;

/// The agents as clients see them. Methods block: they check whether a configuration file has changed.
#[derive(Debug, Clone)]
pub(crate) struct HostAgents {
    pub(crate) projects: Arc<ProjectRegistry>,
    pub(crate) orchestrator: Arc<Orchestrator>,
}

impl HostAgents {
    /// All agents: in a project, with its settings and policies; without one, with their own quotas.
    pub(crate) fn list(&self, project: Option<ProjectId>) -> Result<Vec<AgentInfo>, CallError> {
        let agents = self.policies(project)?;
        let info = |(name, policy): (&String, &scorel_orchestrator::AgentPolicy)| {
            policy.info(name, self.orchestrator.counts(project, name))
        };
        Ok(agents.agents.iter().map(info).collect())
    }

    /// One agent; see [`Self::list`].
    pub(crate) fn get(
        &self,
        project: Option<ProjectId>,
        agent_type: &str,
    ) -> Result<AgentInfo, CallError> {
        let agents = self.policies(project)?;
        let policy = agents.find(agent_type)?;
        let counts = self.orchestrator.counts(project, agent_type);
        Ok(policy.info(agent_type, counts))
    }

    fn policies(&self, project: Option<ProjectId>) -> Result<ProjectAgents, CallError> {
        if let Some(id) = project
            && self.projects.get(id).is_none()
        {
            return Err(CallError::ProjectNotFound(id));
        }
        Ok(self.orchestrator.host().agents(project))
    }
}
