use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::args::FsckArgs;
use crate::daemon::{DaemonConnector, daemon_program};
use crate::exit::Exit;
use crate::failure::Failure;

/// Replaces this process by `scoreld fsck`, which has the formats and works without a daemon or
/// beside one. Its output and exit code are those of this command.
pub(super) fn run(args: &FsckArgs, json: bool, link: &DaemonConnector) -> Failure {
    let mut command = Command::new(daemon_program(env::var_os("SCORELD")));
    command.arg("fsck").arg("--home").arg(link.home().path());
    if args.repair {
        command.arg("--repair");
    }
    if json {
        command.arg("--json");
    }
    if let Some(session) = &args.session {
        command.arg("--").arg(session);
    }
    replaced_by(command)
}

/// Replaces this process by the daemon's program; returns only if that fails.
pub(super) fn replaced_by(mut command: Command) -> Failure {
    // Its help and its errors name the program that the user has called.
    let error = command.arg0("scorelctl").exec();
    let program = Path::new(command.get_program());
    let message = format!("cannot run {}: {error}", program.display());
    // scoreld exits with the same code for a check that could not be performed.
    let failure = Failure::new(Exit::NotAccepted, "unchecked", message);
    if error.kind() == io::ErrorKind::NotFound {
        failure.hint("install scoreld beside scorelctl or on PATH, or set SCORELD to its path")
    } else {
        failure
    }
}
