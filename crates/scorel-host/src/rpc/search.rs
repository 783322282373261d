//! `search`.

use std::sync::Arc;

use scorel_proto::{Search, SearchParams, SearchResult};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::register::method;
use super::sessions::{limit, project_dir};
use crate::call_error::CallError;
use crate::host::Host;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<Search, _, _>(table, search)
}

async fn search(
    host: Arc<Host>,
    _: RpcCall,
    params: SearchParams,
) -> Result<SearchResult, CallError> {
    if let Some(id) = params.project_id {
        project_dir(&host, id)?;
    }
    let limit = limit(params.limit, 50, 200)?;
    host.search.run(&host.sessions, params, limit).await
}
