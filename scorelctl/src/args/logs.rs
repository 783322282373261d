use clap::Args;

/// What to print of a log: the daemon's own, or the service manager's.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Print new lines as they come
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// How many lines to begin with
    #[arg(long, short = 'n', value_name = "N", default_value_t = 200)]
    pub(crate) lines: u32,
}
