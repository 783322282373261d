//! Arguments of `service`.

use clap::{Args, Subcommand};

use super::logs::LogsArgs;

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    #[command(subcommand)]
    pub(crate) action: ServiceCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Have the service manager run the daemon, with this shell's PATH; again after an update or a change
    /// of PATH
    Install,
    /// Stop the service and remove its files; sessions and configuration stay
    Uninstall,
    /// Start the service; a daemon that was started by hand parks its turns and leaves them to it
    Start,
    /// Stop the service: running turns are parked, and the next command that needs a daemon starts it
    Stop,
    /// Restart the service: running turns are parked, and the new daemon goes on with them
    Restart,
    /// Show what is installed and what runs; never starts anything
    Status,
    /// Print what the service manager has of the daemon's log; with --json, in the form of the journal
    Logs(LogsArgs),
}
