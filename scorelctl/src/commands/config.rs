use std::env;
use std::process::Command;

use super::fsck::replaced_by;
use crate::args::ConfigArgs;
use crate::daemon::{DaemonConnector, daemon_program};
use crate::failure::Failure;

/// Replaces this process by `scoreld config`, which has the loader. No daemon is needed, and none is
/// started.
pub(super) fn run(args: &ConfigArgs, json: bool, link: &DaemonConnector) -> Failure {
    let mut command = Command::new(daemon_program(env::var_os("SCORELD")));
    command.arg("config").arg("--home").arg(link.home().path());
    if json {
        command.arg("--json");
    }
    command.args(&args.arguments);
    replaced_by(command)
}
