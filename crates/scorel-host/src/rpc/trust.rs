//! Methods about skills, and about trust in what a project brings.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_guidance::skills::{SkillProject, project_items};
use scorel_home::now_ms;
use scorel_proto::{
    GetTrust, GetTrustParams, GetTrustResult, ListSkills, ListSkillsParams, ListSkillsResult,
    ProjectId, SetTrust, SetTrustParams, SetTrustResult, TrustItem,
};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::caller::client;
use super::register::method;
use super::sessions::project_dir;
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<ListSkills, _, _>(table, list_skills)?;
    method::<GetTrust, _, _>(table, get_trust)?;
    method::<SetTrust, _, _>(table, set_trust)
}

async fn list_skills(
    host: Arc<Host>,
    _: RpcCall,
    params: ListSkillsParams,
) -> Result<ListSkillsResult, CallError> {
    let project = params.project_id.map(|id| {
        let dir = project_dir(&host, id)?;
        Ok::<_, CallError>(SkillProject { id, dir })
    });
    let project = project.transpose()?;
    let found = spawn_blocking(move || host.skills.find(project.as_ref())).await??;
    Ok(ListSkillsResult {
        skills: found.iter().map(|skill| skill.describe()).collect(),
    })
}

async fn get_trust(
    host: Arc<Host>,
    _: RpcCall,
    params: GetTrustParams,
) -> Result<GetTrustResult, CallError> {
    let id = params.project_id;
    project_dir(&host, id)?;
    let items = spawn_blocking(move || items(&host, id)).await??;
    Ok(GetTrustResult { items })
}

async fn set_trust(
    host: Arc<Host>,
    call: RpcCall,
    params: SetTrustParams,
) -> Result<SetTrustResult, CallError> {
    let (id, by) = (params.project_id, client(&call));
    let dir = project_dir(&host, id)?;
    let change = move || {
        if params.trusted {
            let present = project_items(&dir);
            host.trust
                .trust((id, by), &params.items, &present, now_ms())?;
        } else {
            host.trust.distrust(id, &params.items)?;
        }
        items(&host, id)
    };
    let items = spawn_blocking(change).await??;
    Ok(SetTrustResult { items })
}

fn items(host: &Host, id: ProjectId) -> Result<Vec<TrustItem>, CallError> {
    let present = project_items(&project_dir(host, id)?);
    Ok(host.trust.items(id, &present)?)
}
