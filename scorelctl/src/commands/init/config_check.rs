//! Asks the loader whether a configuration is valid. The daemon's program has it.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use scorel_proto::ConfigProblem;
use serde::Deserialize;

use crate::daemon::daemon_program;

/// The part of the report of `scoreld config check` that is used here.
#[derive(Deserialize)]
struct CheckReport {
    problems: Vec<ConfigProblem>,
}

/// The first problem of the file at `path`, as if it stood at `place`. `None` too if this cannot be found
/// out, with a `scoreld` of another version or without one: then the daemon that runs tells what it thinks
/// of the file.
pub(super) fn problem_of(path: &Path, place: &Path) -> Option<ConfigProblem> {
    let home = place.parent().unwrap_or(Path::new("/"));
    let mut command = Command::new(daemon_program(env::var_os("SCORELD")));
    command
        .args(["config", "check", "--json", "--home"])
        .arg(home);
    command.arg("--").arg(path).stdin(Stdio::null());
    let checked = command.output().ok()?;
    let report: CheckReport = serde_json::from_slice(&checked.stdout).ok()?;
    let first = report.problems.into_iter().next()?;
    Some(ConfigProblem {
        path: place.display().to_string(),
        ..first
    })
}
