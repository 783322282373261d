//! Asks the loader whether a configuration is valid. The daemon's program has it.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use scorel_proto::ConfigProblem;
use serde::Deserialize;

use crate::daemon::daemon_program;
use crate::exit::Exit;
use crate::failure::Failure;

/// What is read of the report of `scoreld config check`.
#[derive(Deserialize)]
struct CheckReport {
    problems: Vec<ConfigProblem>,
}

/// The first problem of the file at `path`, as if it stood at `place`. `None` too if the program is not
/// installed here: then the daemon that runs tells what it thinks of the file.
pub(super) fn problem_of(path: &Path, place: &Path) -> Result<Option<ConfigProblem>, Failure> {
    let home = place.parent().unwrap_or(Path::new("/"));
    let mut command = Command::new(daemon_program(env::var_os("SCORELD")));
    command
        .args(["config", "check", "--json", "--home"])
        .arg(home);
    command.arg("--").arg(path).stdin(Stdio::null());
    let checked = match command.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        checked => checked.map_err(|error| unchecked(&error.to_string()))?,
    };
    let report: CheckReport = serde_json::from_slice(&checked.stdout)
        .map_err(|_| unchecked(String::from_utf8_lossy(&checked.stderr).trim()))?;
    let first = report.problems.into_iter().next();
    Ok(first.map(|problem| ConfigProblem {
        path: place.display().to_string(),
        ..problem
    }))
}

fn unchecked(why: &str) -> Failure {
    let message = format!("the configuration could not be checked: {why}");
    Failure::new(Exit::Internal, "unchecked", message)
}
