//! `findFiles`.

use std::sync::Arc;

use scorel_proto::{FindFilesParams, FindFilesResult};

use super::attachments::gate_of_files;
use super::sessions::limit;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};
use scorel_file_finder::{DirectoriesError, FoundProject};

/// Longer than any path that a person looks for by typing.
const MAX_QUERY: usize = 256;

pub(super) async fn find(host: Arc<Host>, params: FindFilesParams) -> Reply<FindFilesResult> {
    if params.query.len() > MAX_QUERY {
        let text = format!("`query` has more than {MAX_QUERY} bytes");
        return Err(CallError::invalid_field("query", text));
    }
    let limit = limit(params.limit, 20, 100)?;
    let (id, directory) = (params.project_id, host.project_dir(params.project_id)?);
    let path = directory.display().to_string();
    let project = FoundProject {
        id,
        directory: directory.clone(),
        admission: {
            let host = Arc::clone(&host);
            Box::new(move || gate_of_files(&host, &directory, &directory).giveable())
        },
    };
    let found = host.files.find(project, params.query, limit).await;
    found.map_err(|source| CallError::Directories {
        path: Some(path.clone()),
        error: DirectoriesError::Io { path, source },
    })
}
