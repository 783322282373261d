//! `setAgent` and `setQuota`. Both say how it is to be, so that applying them twice has one effect.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_home::receipts::Subject;
use scorel_proto::{SetAgentParams, SetQuotaParams};

use crate::host::Host;
use crate::rpc::call_error::CallError;

impl Host {
    pub(super) async fn set_agent(&self, params: SetAgentParams) -> Result<Subject, CallError> {
        let config = Arc::clone(&self.config);
        let agent_type = params.agent_type.clone();
        let set = spawn_blocking(move || config.set_agent(&params)).await;
        self.orchestrator.rules_changed();
        set??;
        let agent = self.agent(None, &agent_type).await?;
        self.sessions.host().agent_changed(None, agent);
        Ok(Subject::Configuration)
    }

    pub(super) async fn set_quota(&self, params: SetQuotaParams) -> Result<Subject, CallError> {
        let (project_id, agent_type) = (params.project_id, params.agent_type.clone());
        self.agent(Some(project_id), &agent_type).await?;
        let projects = Arc::clone(&self.projects);
        let set = move || {
            let expected = params.expected.as_ref();
            projects.set_quota(project_id, &params.agent_type, &params.policy, expected)
        };
        let set = spawn_blocking(set).await;
        self.orchestrator.rules_changed();
        if !set?? {
            return Err(CallError::ProjectNotFound(project_id));
        }
        let agent = self.agent(Some(project_id), &agent_type).await?;
        self.sessions.host().agent_changed(Some(project_id), agent);
        Ok(Subject::ProjectId(project_id))
    }
}
