use std::env;

use scorel_client::{ClientError, Connection, DaemonHome, Starter};

use super::program::daemon_program;
use super::start_daemon::StartDaemon;
use crate::args::GlobalArgs;
use crate::failure::Failure;

/// The daemon of a home on this machine, with its files and its process.
#[derive(Debug, Clone)]
pub(crate) struct LocalDaemon {
    starter: Starter,
    pub(crate) start: StartDaemon,
}

impl LocalDaemon {
    /// Evaluates the environment and the global options.
    pub(crate) fn new(global: &GlobalArgs) -> Result<Self, Failure> {
        let home = DaemonHome::resolve(global.home.as_deref(), |name| env::var_os(name))
            .map_err(ClientError::from)?;
        Ok(Self {
            starter: Starter::new(home, daemon_program(env::var_os("SCORELD"))),
            start: if global.no_start {
                StartDaemon::Never
            } else {
                StartDaemon::Always
            },
        })
    }

    pub(crate) const fn starter(&self) -> &Starter {
        &self.starter
    }

    pub(crate) const fn home(&self) -> &DaemonHome {
        self.starter.home()
    }

    /// Connects without a handshake.
    pub(crate) async fn connect_raw(&self) -> Result<Connection, ClientError> {
        match self.start {
            StartDaemon::Never => self.starter.connect().await,
            StartDaemon::AsService => self.starter.connect_or_start_service().await,
            StartDaemon::Always => self.starter.connect_or_start().await,
        }
    }
}
