use std::io;
use std::path::PathBuf;

use scorel_proto::QuotaPolicy;

use super::QuotaError;
use crate::trusted_file::FileProblem;

/// Why the registry cannot be loaded. It is never repaired automatically: sessions refer to projects
/// by id.
#[derive(Debug, thiserror::Error)]
pub enum OpenProjectsError {
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error(
        "{path} is damaged ({reason}); restore it from a backup, or move it away to start with no projects (their sessions stay in the home)"
    )]
    Damaged { path: PathBuf, reason: String },
    #[error(
        "{path} has version {version}, which this program does not know; use the newer scoreld"
    )]
    Newer { path: PathBuf, version: u32 },
}

/// Why a project was not registered, changed or removed.
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
    #[error("cannot write {path}")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}
