use std::path::PathBuf;

use clap::Args;

use crate::selector::SessionSelector;

/// Selects a session.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Session id, or a prefix of one [default: the project's latest session]
    #[arg(
        long,
        short,
        value_name = "ID|PREFIX",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) session: SessionSelector,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}
