use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// The exit codes, for `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0  nothing is damaged, or everything was repaired
  1  something is wrong and was not repaired
  2  wrong usage
  3  the check or the repair did not take place";

/// What to check, and whether to repair it.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct FsckArgs {
    /// The directory to check [default: $SCOREL_HOME, or ~/.scorel]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Repair what can be repaired; no daemon may run, and a log is copied before it is replaced
    #[arg(long)]
    pub(crate) repair: bool,

    /// Write JSON for programs: one finding a line, and a summary
    #[arg(long)]
    pub(crate) json: bool,

    /// Only this session: its id, or the beginning of it
    #[arg(value_name = "SESSION", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
}
