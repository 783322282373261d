use std::io;

use scorel_config::ConfigError;
use scorel_home::{FileProblem, HomeError, LockError, StateError};

use crate::activation::ActivationError;
use crate::daemon::RunError;
use crate::daemonize::DaemonizeError;
use crate::exit::DaemonExit;
use crate::instance::{InstanceError, TakeoverError};
use crate::logging::LoggingError;
use crate::unit::UnprintableProgram;

/// Why the daemon did not start, or stopped by itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DaemonError {
    #[error("cannot determine the path of this program")]
    Program(#[source] io::Error),
    #[error(transparent)]
    Unit(#[from] UnprintableProgram),
    #[error("cannot write to standard output")]
    Print(#[source] io::Error),
    #[error(transparent)]
    Activation(#[from] ActivationError),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Daemonize(#[from] DaemonizeError),
    #[error(transparent)]
    Instance(#[from] InstanceError),
    #[error(transparent)]
    Takeover(#[from] TakeoverError),
    #[error(transparent)]
    Logging(#[from] LoggingError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot start threads")]
    Runtime(#[source] io::Error),
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    #[error("cannot supervise commands")]
    Supervisors(#[source] io::Error),
    #[error(transparent)]
    Run(#[from] RunError),
}

impl DaemonError {
    /// `Io` where the system refused, `Config` where the user has to change a file.
    pub(crate) const fn exit(&self) -> DaemonExit {
        match self {
            Self::Instance(InstanceError::NotReady { .. })
            | Self::Takeover(
                TakeoverError::Silent { .. }
                | TakeoverError::Managed { .. }
                | TakeoverError::Refused { .. },
            ) => DaemonExit::Unavailable,
            Self::Program(_)
            | Self::Print(_)
            | Self::Daemonize(_)
            | Self::Logging(_)
            | Self::Runtime(_)
            | Self::Signals(_)
            | Self::Supervisors(_)
            | Self::Home(HomeError::Io { .. })
            | Self::Instance(InstanceError::Lock(LockError::Io { .. }))
            | Self::Takeover(TakeoverError::Lock(LockError::Io { .. }))
            | Self::State(StateError::Write { .. } | StateError::File(FileProblem::Io { .. }))
            | Self::Config(ConfigError::File(FileProblem::Io { .. })) => DaemonExit::Io,
            Self::Run(RunError::Receipts(FileProblem::Io { .. })) => DaemonExit::Io,
            Self::Run(RunError::Receipts(_) | RunError::HomeLost { .. }) => DaemonExit::Config,
            Self::Run(_) => DaemonExit::Io,
            Self::Unit(_)
            | Self::Activation(_)
            | Self::Home(_)
            | Self::Instance(InstanceError::Lock(LockError::NotRegular { .. }))
            | Self::Takeover(TakeoverError::Lock(LockError::NotRegular { .. }))
            | Self::State(_)
            | Self::Config(_) => DaemonExit::Config,
        }
    }
}
