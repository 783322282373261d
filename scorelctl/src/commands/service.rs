//! `scorelctl service`: the daemon as a service of the user's service manager. None of this connects to
//! the daemon, and only the manager starts one.

mod home_file;
mod launchd;
mod program;
mod report;
mod systemd;
mod unit_file;
mod verbs;

use std::env;

use clap::{Args, Subcommand};
use nix::unistd::getuid;
use scorel_client::ClientError;

use crate::commands::logs::LogsArgs;
use crate::daemon::{LocalDaemon, daemon_program};
use crate::failure::Failure;
use crate::output::Output;
use launchd::Launchd;
use systemd::Systemd;
use unit_file::UnitSource;
use verbs::ServiceVerbs;

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

pub(super) fn run(
    args: &ServiceArgs,
    link: &LocalDaemon,
    output: &mut Output,
) -> Result<(), Failure> {
    let manager = find(link)?;
    match &args.action {
        ServiceCommand::Install => {
            let installed = manager.install()?;
            return output.result(&installed, |output| installed.describe(output));
        }
        ServiceCommand::Uninstall => {
            let gone = manager.uninstall()?;
            return output.result(&gone, |output| gone.describe(output));
        }
        ServiceCommand::Logs(args) => return Err(manager.logs(args, output.json)),
        ServiceCommand::Start => manager.start()?,
        ServiceCommand::Stop => manager.stop()?,
        ServiceCommand::Restart => manager.restart()?,
        ServiceCommand::Status => {}
    }
    let state = manager.state()?;
    output.result(&state, |output| state.describe(output))
}

fn find(link: &LocalDaemon) -> Result<Box<dyn ServiceVerbs>, Failure> {
    let home = link.home();
    if !home.is_default() {
        let message = format!(
            "a service manager runs the daemon of the default home only, ~/.scorel, and this one is {}",
            home.path().display()
        );
        return Err(Failure::refused("other_home", message).hint(
            "unset SCOREL_HOME and leave out --home; systemd/README.md says how to write units for another \
             home",
        ));
    }
    let user_home = env::var_os("HOME")
        .ok_or_else(|| Failure::from(ClientError::Home(scorel_client::DaemonHomeError::Unknown)))?;
    let source = UnitSource::new(daemon_program(env::var_os("SCORELD")));
    if cfg!(target_os = "macos") {
        let launchd = Launchd::new(user_home.as_ref(), getuid(), home.clone(), source);
        return Ok(Box::new(launchd));
    }
    let systemd = Systemd::find(user_home.as_ref(), home.clone(), source)?;
    Ok(Box::new(systemd))
}
