use std::path::PathBuf;

use clap::Args;

const EXIT_CODES: &str = "\
Exit codes:
  0  no check fails
  1  a check fails
  2  wrong usage
  3  could not write the report";

#[derive(Debug, Clone, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct DoctorArgs {
    /// The home directory [default: $SCOREL_HOME, or ~/.scorel]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// The version of the calling client, to compare with this program's
    #[arg(long, hide = true, value_name = "VERSION")]
    pub(crate) client_version: Option<String>,
}
