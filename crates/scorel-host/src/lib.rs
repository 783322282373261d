//! The host: what one machine's daemon knows and does, without the process that it runs in.
//!
//! [`Host::open`] puts the parts of a [`Home`] together: configuration, projects, models, sessions
//! and the receipts of commands. [`methods`] is the table of everything that clients may call; each
//! method parses, asks the host or a lane, and answers. Sockets, signals, the home's claim and exit
//! codes are the daemon's.

mod call_error;
mod commands;
mod config;
mod device;
mod directories;
mod home;
mod host;
mod instructions;
mod models;
mod permission;
mod projects;
mod receipts;
mod rpc;
mod secret;
mod shutdown;
mod trusted_file;
mod turns;
mod unix_time;

pub use config::{
    Config, ConfigError, ConfigSource, KeyName, Layer, ModelSettings, OnRestart, PermissionsConfig,
    Place, Position, RuntimeConfig, SessionsConfig, ToolsConfig, Warning,
};
pub use device::{Device, DeviceError};
pub use home::{
    Home, HomeError, HomeLock, HomeSource, LockError, MAX_SOCKET_PATH, SocketPathTooLong,
    socket_path,
};
pub use host::{Host, HostParts};
pub use projects::{OpenProjectsError, ProjectError, ProjectRegistry};
pub use receipts::{MAX_BYTES as MAX_RECEIPT_BYTES, problem_of_line as problem_of_receipt_line};
pub use rpc::table as methods;
pub use secret::{InvalidSecretName, SecretError, SecretName, SecretStore};
pub use shutdown::{Shutdown, StopCause};
pub use trusted_file::{FileProblem, Stamp, Trust, read as read_trusted_file};
