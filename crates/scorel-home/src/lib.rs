//! The files of a home directory: [`Home`] says where they are and who holds it, the other types read
//! and write them.

mod device;
mod home;
mod projects;
pub mod receipts;
mod secret;
mod state_file;
mod state_files;
pub mod trusted_file;
mod unix_time;

pub use device::Device;
pub use home::{Home, HomeError, HomeLock, HomeSource, LockError, user_home};
pub use projects::{ProjectError, ProjectRegistry, QuotaError, check_policy};
pub use secret::{InvalidSecretName, SecretError, SecretName, SecretStore};
pub use state_file::{
    CHANNELS, CREDENTIALS, DAEMON, DEVICE, FormatVersion, GRANTS, MODELS, Need, PROJECTS, RUN,
    StateBody, StateError, StateFile, StateKind, TRUST, WORKTREE,
};
pub use state_files::STATE_FILES;
pub use trusted_file::{FileProblem, Stamp, Trust};
pub use unix_time::now_ms;
