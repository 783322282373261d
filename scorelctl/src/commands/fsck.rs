use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::args::FsckArgs;
use crate::control::{Link, daemon_program};
use crate::exit::Exit;
use crate::failure::Failure;

/// Lets the daemon's program check the home, without a daemon or beside it. It takes the place of
/// this program, so what it says and how it ends is what the caller gets.
pub(super) fn run(args: &FsckArgs, json: bool, link: &Link) -> Failure {
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

/// Lets the daemon's program take the place of this one; returns if it cannot.
pub(super) fn replaced_by(mut command: Command) -> Failure {
    let error = command.exec();
    let program = Path::new(command.get_program());
    let message = format!("cannot run {}: {error}", program.display());
    // The number that the daemon's program has for a check that did not take place.
    let failure = Failure::new(Exit::NotAccepted, "unchecked", message);
    if error.kind() == io::ErrorKind::NotFound {
        failure.hint("install scoreld beside scorelctl or on PATH, or name it with SCORELD")
    } else {
        failure
    }
}
