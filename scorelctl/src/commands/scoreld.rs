//! Commands that the daemon's program carries out: it has the formats and the configuration, and works with
//! or without a daemon. Its output and exit code are those of the command.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::{env, io};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use scorel_screen::escape::one_line;
use serde_json::Value;

use crate::daemon::{LocalDaemon, daemon_program};
use crate::failure::Failure;

/// The arguments of `scoreld config`. It parses them itself, and has the help.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// The action; `--help` lists them
    #[arg(
        value_name = "COMMAND",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) arguments: Vec<OsString>,
}

/// For `--help`: `fsck` is run by scoreld, whose exit codes differ from [`crate::exit::Exit`].
const FSCK_EXIT_CODES: &str = "\
Exit codes:
  0  No damage was found, or all of it was repaired.
  1  Damage was found and not repaired.
  2  The command line is invalid.
  3  The check or the repair could not be performed.";

#[derive(Debug, Args)]
#[command(after_help = FSCK_EXIT_CODES)]
pub(crate) struct FsckArgs {
    /// Only this session: its id, or the beginning of it
    #[arg(long, short, value_name = "ID|PREFIX", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Repair what can be repaired. Requires that no daemon is running; a log is copied before it
    /// is replaced
    #[arg(long)]
    pub(crate) repair: bool,
}

/// Checks and repairs the home.
pub(super) fn fsck(args: &FsckArgs, json: bool, link: &LocalDaemon) -> Failure {
    let options: &[&str] = if args.repair { &["--repair"] } else { &[] };
    let mut command = scoreld("fsck", options, json, link);
    if let Some(session) = &args.session {
        command.arg("--").arg(session);
    }
    replaced_by(command)
}

/// Checks the installation.
pub(super) fn doctor(json: bool, link: &LocalDaemon) -> Failure {
    let options = ["--client-version", env!("CARGO_PKG_VERSION")];
    replaced_by(scoreld("doctor", &options, json, link))
}

/// Shows and changes the configuration.
pub(super) fn config(args: &ConfigArgs, json: bool, link: &LocalDaemon) -> Failure {
    let mut command = scoreld("config", &[], json, link);
    command.args(&args.arguments);
    replaced_by(command)
}

/// Takes over the hooks of a settings file.
pub(super) fn import_hooks(file: Option<&Path>, json: bool, link: &LocalDaemon) -> Failure {
    let mut command = scoreld("config", &[], json, link);
    command.arg("import-hooks").arg("--").args(file);
    replaced_by(command)
}

/// Shows the MCP servers of other agents, or takes them over.
pub(super) fn import_servers(write: bool, json: bool, link: &LocalDaemon) -> Failure {
    let mut command = scoreld("config", &[], json, link);
    command.arg("import-servers");
    command.args(write.then_some("--write"));
    replaced_by(command)
}

/// Takes an MCP server out of the configuration.
pub(super) fn remove_server(name: &str, json: bool, link: &LocalDaemon) -> Failure {
    let mut command = scoreld("config", &[], json, link);
    command.args(["remove-server", "--", name]);
    replaced_by(command)
}

/// Adds an MCP server to the configuration, by the arguments that say the way to it. Returns the path of the file.
pub(super) fn add_server(
    name: &str,
    arguments: &[String],
    link: &LocalDaemon,
) -> Result<String, Failure> {
    let mut command = scoreld("config", &[], true, link);
    command.args(["add-server", name]).args(arguments);
    let ended = command
        .output()
        .map_err(|error| not_run(&command, &error))?;
    let said: Value = serde_json::from_slice(match ended.status.success() {
        true => &ended.stdout,
        false => &ended.stderr,
    })
    .unwrap_or_default();
    match (ended.status.success(), said["path"].as_str()) {
        (true, Some(path)) => Ok(path.to_owned()),
        _ => {
            let reason = said["error"]["message"]
                .as_str()
                .unwrap_or("scoreld has failed");
            Err(Failure::refused("config_refused", one_line(reason)))
        }
    }
}

fn scoreld(verb: &str, options: &[&str], json: bool, link: &LocalDaemon) -> Command {
    let mut command = Command::new(daemon_program(env::var_os("SCORELD")));
    command.arg(verb).arg("--home").arg(link.home().path());
    command.args(options);
    if json {
        command.arg("--json");
    }
    command
}

/// Replaces this process; returns only if that fails.
fn replaced_by(mut command: Command) -> Failure {
    // Its help and its errors name the program that the user has called.
    let error = command.arg0("scorelctl").exec();
    not_run(&command, &error)
}

fn not_run(command: &Command, error: &io::Error) -> Failure {
    let program = Path::new(command.get_program());
    let message = format!("cannot run {}: {error}", program.display());
    // scoreld exits with the same code for a check that could not be performed.
    let failure = Failure::refused("unchecked", message);
    if error.kind() == io::ErrorKind::NotFound {
        failure.hint("install scoreld beside scorelctl or on PATH, or set SCORELD to its path")
    } else {
        failure
    }
}
