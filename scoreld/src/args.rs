use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::doctor::DoctorArgs;
use crate::fsck::FsckArgs;
use crate::unit::UnitKind;

/// The exit codes, for `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0   stopped when asked, or a daemon that is ready serves this home already
  64  wrong usage
  69  another daemon holds the home and does not become ready
  70  internal failure
  74  the system refused to read, write or listen
  78  the home or its configuration needs to be put right
  130, 143  a second SIGINT or SIGTERM ended it at once";

/// The command line of the daemon.
#[derive(Debug, Clone, Parser)]
#[command(name = "scoreld", version, about = "The Scorel daemon", after_help = EXIT_CODES)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// What to do instead of serving a home
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// The directory in which everything is kept [default: $SCOREL_HOME, or ~/.scorel]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Go to the background; return when the daemon accepts connections
    #[arg(long)]
    pub(crate) daemonize: bool,

    /// How much to log
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = LogLevel::Info)]
    pub(crate) log_level: LogLevel,

    /// Print a service definition for this program and exit
    #[arg(long, value_name = "KIND", value_enum, conflicts_with = "daemonize")]
    pub(crate) print_unit: Option<UnitKind>,
}

/// What the program does instead of serving a home.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Command {
    /// Check a home or a session, and repair it if asked
    Fsck(FsckArgs),
    /// Look at everything that a daemon needs, and say what to do about what is missing
    Doctor(DoctorArgs),
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// What went wrong.
    Error,
    /// And what may be wrong.
    Warn,
    /// And what happens.
    Info,
    /// And how.
    Debug,
    /// And every step.
    Trace,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn a_check_has_arguments_of_its_own() {
        let parsed = Args::try_parse_from(["scoreld", "fsck", "--home", "/h", "--json", "ses_01"]);
        let Some(Command::Fsck(args)) = parsed.unwrap().command else {
            panic!("a check")
        };
        assert!(args.json && !args.repair);
        assert_eq!(args.session.as_deref(), Some("ses_01"));
        assert!(Args::try_parse_from(["scoreld", "--daemonize", "fsck"]).is_err());
    }

    #[test]
    fn a_unit_is_not_printed_by_a_daemon() {
        assert!(
            Args::try_parse_from(["scoreld", "--daemonize", "--print-unit", "launchd"]).is_err()
        );
    }
}
