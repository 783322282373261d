//! What is said of the host's failures on the wire.

use std::error::Error;

use scorel_proto::{ErrorCode, ProjectId, RpcError};
use serde_json::json;

/// There is no such project.
pub(crate) fn project_not_found(id: ProjectId) -> RpcError {
    let text = format!("there is no project {id}");
    RpcError::new(ErrorCode::ProjectNotFound, text).with_details(json!({ "projectId": id }))
}

/// A file or directory could not be used.
pub(crate) fn filesystem(error: &dyn Error, path: Option<&str>) -> RpcError {
    let mut text = error.to_string();
    if let Some(source) = error.source() {
        text = format!("{text}: {source}");
    }
    RpcError::new(ErrorCode::FilesystemError, text).with_details(json!({ "path": path }))
}

/// A defect.
pub(super) fn internal(error: &dyn Error) -> RpcError {
    RpcError::new(ErrorCode::InternalError, error.to_string())
}
