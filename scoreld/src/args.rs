use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use tracing::level_filters::LevelFilter;

use crate::config::ConfigArgs;
use crate::doctor::DoctorArgs;
use crate::fsck::FsckArgs;
use crate::unit::UnitKind;

const EXIT_CODES: &str = "\
Exit codes:
  0   stopped on request, or another daemon already serves this home
  64  wrong usage
  69  another daemon holds the home and does not become ready; under a service manager, it did
      not end
  70  internal error
  74  I/O error: cannot read, write or listen
  78  the home or its configuration is invalid, and the message says what to fix; or the home
      was deleted while the daemon ran
  130, 143  ended at once by a second SIGINT or SIGTERM";

#[derive(Debug, Clone, Parser)]
#[command(name = "scoreld", version, about = "The Scorel daemon", after_help = EXIT_CODES)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// Run a command instead of the daemon
    #[command(subcommand)]
    pub(crate) command: Option<DaemonCommand>,

    /// The home directory [default: $SCOREL_HOME, or ~/.scorel]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Run in the background; return once the daemon accepts connections
    #[arg(long)]
    pub(crate) daemonize: bool,

    /// Log level
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = log_level())]
    pub(crate) log_level: LevelFilter,

    /// Print a service definition with the path of this program, and exit
    #[arg(long, value_name = "KIND", value_enum, conflicts_with = "daemonize")]
    pub(crate) print_unit: Option<UnitKind>,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Check a home or one session, and optionally repair it
    Fsck(FsckArgs),
    /// Check what the daemon needs to run, and explain how to fix what is missing
    Doctor(DoctorArgs),
    /// Show, check and change the configuration
    Config(ConfigArgs),
    /// Write the manual pages, for packages
    #[command(hide = true)]
    Man {
        /// The directory to write the pages into, such as build/man1
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

fn log_level() -> impl TypedValueParser<Value = LevelFilter> {
    let levels = PossibleValuesParser::new(["error", "warn", "info", "debug", "trace"]);
    levels.try_map(|level| level.parse())
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
        let Some(DaemonCommand::Fsck(args)) = parsed.unwrap().command else {
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
