//! Methods about skills, and about trust in what a project brings.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_guidance::skills::SkillProject;
use scorel_home::now_ms;
use scorel_proto::{
    GetTrustParams, GetTrustResult, ListSkillsParams, ListSkillsResult, ProjectId, SetTrustParams,
    SetTrustResult, TrustItem,
};
use scorel_rpc::RpcCall;

use super::caller::client;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn list_skills(
    host: Arc<Host>,
    params: ListSkillsParams,
) -> Reply<ListSkillsResult> {
    let project = params.project_id.map(|id| host.skill_project(id));
    let project = project.transpose()?;
    let found = spawn_blocking(move || host.skills.find(project.as_ref())).await??;
    Ok(ListSkillsResult {
        skills: found.iter().map(|skill| skill.describe()).collect(),
    })
}

pub(super) async fn get_trust(host: Arc<Host>, params: GetTrustParams) -> Reply<GetTrustResult> {
    let id = params.project_id;
    host.project(id)?;
    let items = spawn_blocking(move || items(&host, id)).await??;
    Ok(GetTrustResult { items })
}

pub(super) async fn set_trust(
    host: Arc<Host>,
    call: RpcCall,
    params: SetTrustParams,
) -> Reply<SetTrustResult> {
    let (id, by) = (params.project_id, client(&call));
    let dir = host.project_dir(id)?;
    let change = move || {
        if params.trusted {
            let present = host.project_items.of(&dir);
            host.trust
                .trust((id, by), &params.items, &present, now_ms())?;
        } else {
            host.trust.distrust(id, &params.items)?;
            let project = SkillProject { id, dir };
            host.programs.usable(Some(&project));
            host.mcp_clients.forget_unusable(&project);
        }
        items(&host, id)
    };
    let items = spawn_blocking(change).await??;
    Ok(SetTrustResult { items })
}

fn items(host: &Host, id: ProjectId) -> Result<Vec<TrustItem>, CallError> {
    let present = host.project_items.of(&host.project_dir(id)?);
    Ok(host.trust.items(id, &present)?)
}
