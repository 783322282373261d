//! The Scorel daemon.
//!
//! This crate puts the parts together and owns the process: its home, its lock, its configuration,
//! its log, its service manager and its end. From the start of the process to its end:
//!
//! 1. [`start`](mod@start) reads the command line, adopts a socket that a service manager passed,
//!    goes to the background if asked, and claims the home. All of that happens before there is a
//!    second thread.
//! 2. It opens the log, the configuration and the files of the home into a [`Setup`].
//! 3. [`daemon`] runs with it until [`Shutdown`] begins.
//!
//! Only one daemon runs in a home ([`Instance`]), and only it writes there. The same program checks
//! and repairs homes, in the `fsck` module.

pub mod activation;
mod args;
mod commands;
pub mod config;
pub mod daemon;
mod daemonize;
mod device;
mod directories;
mod doctor;
mod exit;
mod fsck;
mod home;
mod host;
mod instance;
mod instructions;
mod logging;
mod models;
mod permission;
mod projects;
mod readiness;
mod receipts;
mod rpc;
mod secret;
mod service;
mod setup;
mod shutdown;
pub mod start;
mod trusted_file;
mod turns;
mod unit;

pub use args::{Args, Command, LogLevel};
pub use device::{Device, DeviceError};
pub use directories::{DirectoriesError, list_directories};
pub use doctor::DoctorArgs;
pub use exit::Exit;
pub use fsck::FsckArgs;
pub use home::{Home, HomeError, HomeSource, MAX_SOCKET_PATH, SocketPathTooLong, socket_path};
pub use instance::{DaemonInfo, Instance, InstanceError, InstanceLock, LockError, PublishedInfo};
pub use logging::{Logging, LoggingError};
pub use projects::{OpenProjectsError, ProjectError, ProjectRegistry};
pub use readiness::Readiness;
pub use secret::{InvalidSecretName, SecretError, SecretName, SecretStore};
pub use service::{MANAGER_VARIABLES, ServiceManager, Watchdog};
pub use setup::{ListenError, Setup};
pub use shutdown::{Shutdown, StopCause};
pub use start::main;
pub use trusted_file::FileProblem;
pub use unit::{UnitKind, UnprintableProgram};
