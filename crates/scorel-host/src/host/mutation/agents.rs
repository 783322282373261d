//! `setAgent` and `setQuota`. Both say how it is to be, so that applying them twice has one effect.

use std::sync::Arc;

use scorel_proto::{SetAgentParams, SetQuotaParams};

use crate::blocking::blocking;
use crate::call_error::CallError;
use crate::host::Host;
use crate::receipts::Subject;

impl Host {
    pub(super) async fn set_agent(&self, params: SetAgentParams) -> Result<Subject, CallError> {
        let (config, agents) = (Arc::clone(&self.config), self.agents());
        let sessions = Arc::clone(&self.sessions);
        let set = move || {
            config.set_agent(&params)?;
            let agent = agents.get(None, &params.agent_type)?;
            sessions.host().agent_changed(None, agent);
            Ok(Subject::Configuration)
        };
        let set = blocking(set).await.and_then(|set| set);
        self.orchestrator.configuration_changed();
        set
    }

    pub(super) async fn set_quota(&self, params: SetQuotaParams) -> Result<Subject, CallError> {
        let (projects, agents) = (Arc::clone(&self.projects), self.agents());
        let sessions = Arc::clone(&self.sessions);
        let set = move || {
            let (project_id, agent_type) = (params.project_id, &params.agent_type);
            agents.get(Some(project_id), agent_type)?;
            let set = projects.set_quota(project_id, agent_type, &params.policy);
            if !set.map_err(|error| CallError::Project { error, path: None })? {
                return Err(CallError::ProjectNotFound(project_id));
            }
            let agent = agents.get(Some(project_id), agent_type)?;
            sessions.host().agent_changed(Some(project_id), agent);
            Ok(Subject::ProjectId(project_id))
        };
        let set = blocking(set).await.and_then(|set| set);
        self.orchestrator.configuration_changed();
        set
    }
}
