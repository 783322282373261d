use std::io;

use scorel_host::{ConfigError, DeviceError, FileProblem, HomeError, LockError, OpenProjectsError};

use crate::activation::ActivationError;
use crate::daemon::RunError;
use crate::daemonize::DaemonizeError;
use crate::exit::Exit;
use crate::instance::InstanceError;
use crate::logging::LoggingError;
use crate::unit::UnprintableProgram;

/// Why the daemon does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// This program's own path is unknown.
    #[error("cannot find out this program's path")]
    Program(#[source] io::Error),
    /// This program's own path does not fit into a service definition.
    #[error(transparent)]
    Unit(#[from] UnprintableProgram),
    /// Standard output is closed.
    #[error("cannot write to standard output")]
    Print(#[source] io::Error),
    /// The service manager's sockets cannot be used.
    #[error(transparent)]
    Activation(#[from] ActivationError),
    /// The home cannot be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// There is no way to the background.
    #[error(transparent)]
    Daemonize(#[from] DaemonizeError),
    /// Another daemon is in the way.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// There is no log.
    #[error(transparent)]
    Logging(#[from] LoggingError),
    /// The machine's identity cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The projects cannot be used.
    #[error(transparent)]
    Projects(#[from] OpenProjectsError),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The system has no threads for the daemon.
    #[error("cannot start threads")]
    Runtime(#[source] io::Error),
    /// The system delivers no signals.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    /// The daemon ended by itself.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl StartError {
    /// How the process ends with it.
    #[must_use]
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Self::Instance(InstanceError::NotReady { .. }) => Exit::Unavailable,
            Self::Program(_)
            | Self::Print(_)
            | Self::Daemonize(_)
            | Self::Logging(_)
            | Self::Runtime(_)
            | Self::Signals(_)
            | Self::Home(HomeError::Io { .. })
            | Self::Instance(InstanceError::Lock(LockError::Io { .. }))
            | Self::Device(DeviceError::Write { .. } | DeviceError::File(FileProblem::Io { .. }))
            | Self::Projects(OpenProjectsError::File(FileProblem::Io { .. }))
            | Self::Config(ConfigError::File(FileProblem::Io { .. })) => Exit::Io,
            Self::Run(RunError::Receipts(FileProblem::Io { .. })) => Exit::Io,
            Self::Run(RunError::Receipts(_)) => Exit::Config,
            Self::Run(_) => Exit::Io,
            Self::Unit(_)
            | Self::Activation(_)
            | Self::Home(_)
            | Self::Instance(InstanceError::Lock(LockError::NotRegular { .. }))
            | Self::Device(_)
            | Self::Projects(_)
            | Self::Config(_) => Exit::Config,
        }
    }
}
