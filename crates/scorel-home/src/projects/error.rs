use std::io;

use scorel_proto::QuotaPolicy;

use super::QuotaError;
use crate::state_file::StateError;

/// The reason why a project was not registered, changed or removed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("`{path}` is not an absolute path")]
    NotAbsolute { path: String },
    #[error("`{path}` does not exist")]
    NotFound { path: String },
    #[error("`{path}` is not a directory")]
    NotDirectory { path: String },
    #[error("`{path}` resolves to a path that is not UTF-8")]
    NotText { path: String },
    #[error("cannot access `{path}`")]
    Read {
        path: String,
        #[source]
        source: io::Error,
    },
    #[error("the limit of {max} projects is reached; remove some")]
    TooMany { max: usize },
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// With the policy in force.
    #[error("the policy was changed meanwhile")]
    OtherQuota(QuotaPolicy),
    #[error(transparent)]
    File(#[from] StateError),
}
