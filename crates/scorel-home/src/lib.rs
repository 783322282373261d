//! The files of a home directory: [`Home`] says where they are and who holds it, the other types read
//! and write them.

mod calendar;
mod device;
mod file_version;
mod home;
mod lists_file;
mod projects;
pub mod receipts;
mod secret;
pub mod trusted_file;
mod unix_time;

pub use calendar::{Calendar, SystemCalendar};
pub use device::{Device, DeviceError};
pub use home::{
    Home, HomeError, HomeLock, HomeSource, LockError, MAX_SOCKET_PATH, NoSocketPath, socket_path,
    user_home,
};
pub use lists_file::{ListsFile, ModelListsError, StoredList, check_model_lists};
pub use projects::{OpenProjectsError, ProjectError, ProjectRegistry, QuotaError, check_policy};
pub use secret::{InvalidSecretName, SecretError, SecretName, SecretStore};
pub use trusted_file::{FileProblem, Stamp, Trust};
pub use unix_time::now_ms;
