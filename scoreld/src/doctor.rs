//! `scoreld doctor`: checks what the daemon needs, and explains how to fix what is missing.
//!
//! It changes nothing and works without a daemon; a running one is asked for its status.

mod args;
mod check;
mod daemon;
mod environment;
mod files;
mod output;
mod service;
mod system;

use std::io::{self, Write};
use std::process::ExitCode;

pub(crate) use args::DoctorArgs;

use scorel_home::{Home, HomeSource};

use check::{Check, Level};

/// Exit codes: a stable interface for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoctorExit {
    Healthy = 0,
    Failing = 1,
    Usage = 2,
    /// The report could not be written.
    Unreported = 3,
}

impl From<DoctorExit> for ExitCode {
    fn from(exit: DoctorExit) -> Self {
        Self::from(exit as u8)
    }
}

pub(crate) fn run(args: &DoctorArgs) -> DoctorExit {
    let checks = examine(args);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = output::write(&checks, args.json, &mut out).and_then(|()| out.flush());
    match written {
        // A reader that closes the output, as `head` does, has seen what it wanted.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => DoctorExit::Unreported,
        _ if checks.iter().any(|check| check.level == Level::Fail) => DoctorExit::Failing,
        _ => DoctorExit::Healthy,
    }
}

fn examine(args: &DoctorArgs) -> Vec<Check> {
    let source = HomeSource::from_environment(args.home.clone());
    let mut checks = Vec::new();
    let root = match source.locate() {
        Ok(root) => root,
        Err(error) => {
            checks.push(Check::fail("home", files::home_error(&error)));
            checks.extend(system::checks());
            return checks;
        }
    };
    checks.push(files::home(&root));
    checks.extend(files::state(&root));
    checks.extend(files::configuration(&Home::unopened(&root)));
    let runtime_dir = source.runtime_dir.filter(|dir| dir.is_absolute());
    checks.extend(daemon::checks(
        &root,
        runtime_dir.as_deref(),
        args.client_version.as_deref(),
    ));
    let user_home = source.user_home.as_deref();
    if user_home.is_some_and(|user_home| root == user_home.join(".scorel")) {
        checks.extend(service::check());
    }
    checks.extend(system::checks());
    checks.push(environment::check(&Home::unopened(&root)));
    checks.push(system::disk(&root));
    checks.extend(files::recovery(&Home::unopened(&root)));
    checks.push(system::clock(&root));
    checks
}
