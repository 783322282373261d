//! Arguments that several verbs take. Doc comments here and at the arguments of verbs are the help texts.

mod duration;
mod on_ask;
mod one_of;
mod protocol_name;
mod target;

use std::path::PathBuf;

use clap::Args;

pub(crate) use duration::seconds;
pub(crate) use on_ask::OnAsk;
pub(crate) use one_of::one_of;
pub(crate) use protocol_name::{THINKING_LEVELS, WORKSPACES, protocol_name};
pub(crate) use target::TargetArgs;

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct GlobalArgs {
    /// The daemon's home directory [default: $SCOREL_HOME, else ~/.scorel]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print JSON for programs: one value per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use the daemon of another machine, by its name in `scorelctl remote list`
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) remote: Option<String>,
    /// Fail if no daemon is running, instead of starting one
    #[arg(long, global = true)]
    pub(crate) no_start: bool,
}
