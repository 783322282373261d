//! `findFiles`.

use std::sync::Arc;

use scorel_proto::{FindFilesParams, FindFilesResult};

use super::sessions::limit;
use crate::directories::DirectoriesError;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

/// Longer than any path that a person looks for by typing.
const MAX_QUERY: usize = 256;

pub(super) async fn find(host: Arc<Host>, params: FindFilesParams) -> Reply<FindFilesResult> {
    if params.query.len() > MAX_QUERY {
        let text = format!("`query` has more than {MAX_QUERY} bytes");
        return Err(CallError::invalid_field("query", text));
    }
    let limit = limit(params.limit, 20, 100)?;
    let project = (params.project_id, host.project_dir(params.project_id)?);
    let path = project.1.display().to_string();
    let found = host.files.find(project, params.query, limit).await;
    found.map_err(|source| CallError::Directories {
        path: Some(path.clone()),
        error: DirectoriesError::Io { path, source },
    })
}
