//! `setAgent` and `setQuota`. Both say how it is to be, so that applying them twice has one effect.

use std::sync::Arc;

use scorel_home::receipts::Subject;
use scorel_proto::{SetAgentParams, SetQuotaParams};

use crate::blocking::blocking;
use crate::call_error::CallError;
use crate::host::Host;

impl Host {
    pub(super) async fn set_agent(&self, params: SetAgentParams) -> Result<Subject, CallError> {
        let config = Arc::clone(&self.config);
        let agent_type = params.agent_type.clone();
        let set = blocking(move || config.set_agent(&params)).await;
        self.orchestrator.configuration_changed();
        set??;
        let agent = self.agents().get(None, &agent_type).await?;
        self.sessions.host().agent_changed(None, agent);
        Ok(Subject::Configuration)
    }

    pub(super) async fn set_quota(&self, params: SetQuotaParams) -> Result<Subject, CallError> {
        let (project_id, agent_type) = (params.project_id, params.agent_type.clone());
        self.agents().get(Some(project_id), &agent_type).await?;
        let projects = Arc::clone(&self.projects);
        let set = move || {
            let expected = params.expected.as_ref();
            projects.set_quota(project_id, &params.agent_type, &params.policy, expected)
        };
        let set = blocking(set).await;
        self.orchestrator.configuration_changed();
        if !set?.map_err(|error| CallError::Project { error, path: None })? {
            return Err(CallError::ProjectNotFound(project_id));
        }
        let agent = self.agents().get(Some(project_id), &agent_type).await?;
        self.sessions.host().agent_changed(Some(project_id), agent);
        Ok(Subject::ProjectId(project_id))
    }
}
