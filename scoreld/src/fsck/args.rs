use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

const EXIT_CODES: &str = "\
Exit codes:
  0  no problems, or all repaired
  1  problems found that were not repaired
  2  wrong usage
  3  could not check or repair";

#[derive(Debug, Clone, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct FsckArgs {
    /// The home directory to check [default: $SCOREL_HOME, or ~/.scorel]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Repair what can be repaired; the daemon must be stopped, and a log is copied before it is
    /// replaced
    #[arg(long)]
    pub(crate) repair: bool,

    /// Write JSON lines: one per finding, then a summary
    #[arg(long)]
    pub(crate) json: bool,

    /// Check only this session, by its id or a prefix of it
    #[arg(value_name = "SESSION", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
}
