//! `getUsage`.

use std::sync::Arc;

use scorel_proto::{GetUsageParams, GetUsageResult, ProjectId, UsageGrouping};

use crate::host::Host;
use crate::rpc::call_error::Reply;

pub(super) async fn get_usage(host: Arc<Host>, params: GetUsageParams) -> Reply<GetUsageResult> {
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
