//! `getUsage`.

use std::sync::Arc;

use scorel_proto::{GetUsage, GetUsageParams, GetUsageResult, ProjectId, UsageGrouping};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::register::method;
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<GetUsage, _, _>(table, get_usage)
}

async fn get_usage(
    host: Arc<Host>,
    _: RpcCall,
    params: GetUsageParams,
) -> Result<GetUsageResult, CallError> {
    let mut result = host.sessions.usage(&params).await?;
    if params.by == UsageGrouping::Project {
        for row in &mut result.rows {
            let id = row.key.parse::<ProjectId>().ok();
            let project = id.and_then(|id| host.projects.get(id));
            row.name = project.map(|project| project.display_name);
        }
    }
    Ok(result)
}
