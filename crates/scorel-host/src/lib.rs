//! The host: one machine's projects, models and sessions, and the methods that clients call on them.
//!
//! [`Host::open`] wires the parts of a [`Home`]: configuration, projects, models, sessions, receipts.
//! [`methods`] registers every RPC method; a handler parses, asks the host or a lane, and replies:
//!
//! ```text
//! scorel-rpc → methods → Host → Sessions → turns: TurnSetup → provider, tools, gate
//!                 ↓ CallError → call_error/rpc_error → RpcError
//! ```
//!
//! Nothing here depends on the process: sockets, signals, claiming the home and exit codes belong to
//! `scoreld`, and `scorel-fsck` reads the same files with the types of this crate.

mod agents;
mod attachments;
mod blocking;
mod call_error;
mod client_names;
mod command_report;
mod commands;
mod compaction_facts;
mod config;
mod config_watch;
mod configured_agents;
mod device;
mod directories;
mod environment;
mod executable;
mod file_version;
mod followers;
mod hidden_places;
mod home;
mod host;
mod import_file;
mod instructions;
mod message_pictures;
mod metrics;
mod models;
mod notices;
mod observers;
mod permission;
mod process_memory;
mod projects;
mod receipts;
mod recorders;
mod rpc;
mod runners;
mod search;
mod secret;
mod session_blobs;
mod shutdown;
mod skills;
mod titles;
mod trust;
mod trusted_file;
mod turns;
mod unix_time;
mod worktrees;

pub use command_report::command_environment;
pub use config::{
    AgentLimits, AgentSettings, Agents, AuxiliaryConfig, Config, ConfigError, ConfigFile,
    ConfigKey, ConfigPath, ConfigSource, EditConfigError, EditedText, EnvironmentConfig,
    InvalidConfigKey, KeyName, Layer, LoginShellPlace, ModelSettings, OnContextLost,
    PermissionsConfig, Position, RunnerConfig, RunnerSandbox, RuntimeConfig, ServiceConfig,
    SessionsConfig, ToolsConfig, VariableName, VariablePattern, VariableValue, Warning,
    nearest as nearest_name,
};
pub use device::{Device, DeviceError};
pub use environment::EnvironmentReport;
pub use scorel_permission::Mode;

pub use home::{
    Home, HomeError, HomeLock, HomeSource, LockError, MAX_SOCKET_PATH, NoSocketPath, socket_path,
};
pub use host::{Host, HostParts};
pub use models::{ModelListsError, check_model_lists};
pub use projects::{OpenProjectsError, ProjectError, ProjectRegistry, QuotaError};
pub use receipts::{MAX_BYTES as MAX_RECEIPT_BYTES, problem_of_line as problem_of_receipt_line};
pub use rpc::table as methods;
pub use secret::{InvalidSecretName, SecretError, SecretName, SecretStore};
pub use shutdown::{Shutdown, ShutdownCause};
pub use trusted_file::{FileProblem, Stamp, Trust, read as read_trusted_file, require_regular};
