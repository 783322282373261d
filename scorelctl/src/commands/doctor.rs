use std::env;
use std::process::Command;

use super::fsck::replaced_by;
use crate::control::{Link, daemon_program};
use crate::failure::Failure;

/// Lets the daemon's program look at everything: it knows the configuration and asks the kernel.
pub(super) fn run(json: bool, link: &Link) -> Failure {
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
