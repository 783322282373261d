use std::env;
use std::process::Command;

use super::fsck::replaced_by;
use crate::daemon::{DaemonConnector, daemon_program};
use crate::failure::Failure;

/// Replaces this process by `scoreld doctor`, which knows the configuration and probes the kernel.
pub(super) fn run(json: bool, link: &DaemonConnector) -> Failure {
    let mut command = Command::new(daemon_program(env::var_os("SCORELD")));
    command
        .args(["doctor", "--client-version", env!("CARGO_PKG_VERSION")])
        .arg("--home")
        .arg(link.home().path());
    if json {
        command.arg("--json");
    }
    replaced_by(command)
}
