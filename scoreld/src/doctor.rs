//! Looking at everything that a daemon needs, and saying what to do about what is missing.
//!
//! Nothing is changed, and no daemon is needed. A running one is asked how it is.

mod args;
mod check;
mod daemon;
mod files;
mod output;
mod system;

use std::io::{self, Write};
use std::process::ExitCode;

pub(crate) use args::DoctorArgs;

use scorel_host::{Home, HomeError, HomeSource};

use check::{Check, Level};

/// How the examination ends. The numbers are a stable interface for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoctorExit {
    /// Nothing fails.
    Healthy = 0,
    /// Something fails.
    Failing = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// What was found could not be told.
    Untold = 3,
}

impl From<DoctorExit> for ExitCode {
    fn from(exit: DoctorExit) -> Self {
        Self::from(exit as u8)
    }
}

/// Carries out the command.
pub(crate) fn run(args: &DoctorArgs) -> DoctorExit {
    let checks = examine(args);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = output::write(&checks, args.json, &mut out).and_then(|()| out.flush());
    match written {
        Err(_) => DoctorExit::Untold,
        Ok(()) if checks.iter().any(|check| check.level == Level::Fail) => DoctorExit::Failing,
        Ok(()) => DoctorExit::Healthy,
    }
}

fn examine(args: &DoctorArgs) -> Vec<Check> {
    let source = HomeSource::from_environment(args.home.clone());
    let mut checks = Vec::new();
    let root = match source.locate() {
        Ok(root) => root,
        Err(error) => {
            checks.push(Check::fail("home", home_error(&error)));
            checks.extend(system::checks());
            return checks;
        }
    };
    checks.push(files::home(&root));
    checks.extend(files::configuration(&Home::unopened(&root)));
    let runtime_dir = source.runtime_dir.filter(|dir| dir.is_absolute());
    checks.extend(daemon::checks(
        &root,
        runtime_dir.as_deref(),
        args.client_version.as_deref(),
    ));
    checks.extend(system::checks());
    checks.push(system::disk(&root));
    checks.push(system::clock(&root));
    checks
}

/// The error with its causes.
fn home_error(error: &HomeError) -> String {
    let source = std::error::Error::source(error);
    let cause = source.map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
}
