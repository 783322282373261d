use super::report::{Installed, ServiceState, Uninstalled};
use crate::commands::logs::LogsArgs;
use crate::failure::Failure;

/// A service manager with the daemon of the default home as its service.
pub(super) trait ServiceVerbs {
    /// Writes the service's files where they differ, and takes over from a daemon that was started by
    /// hand.
    fn install(&self) -> Result<Installed, Failure>;
    fn uninstall(&self) -> Result<Uninstalled, Failure>;
    fn start(&self) -> Result<(), Failure>;
    fn stop(&self) -> Result<(), Failure>;
    fn restart(&self) -> Result<(), Failure>;
    fn state(&self) -> Result<ServiceState, Failure>;
    /// Replaces this process by the program that prints the log; returns only if that fails.
    fn logs(&self, args: &LogsArgs, json: bool) -> Failure;
}
