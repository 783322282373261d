use std::path::PathBuf;

use clap::Args;

/// The exit codes, for `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0  nothing fails
  1  something fails
  2  wrong usage
  3  what was found could not be told";

/// What to look at, and how to tell.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct DoctorArgs {
    /// The daemon's directory [default: $SCOREL_HOME, or ~/.scorel]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Write one JSON object, for programs
    #[arg(long)]
    pub(crate) json: bool,

    /// The version of the client that asks, to be compared
    #[arg(long, hide = true, value_name = "VERSION")]
    pub(crate) client_version: Option<String>,
}
