use std::path::PathBuf;

use clap::Args;

use crate::selector::SessionSelector;

/// Selects a session.
#[derive(Debug, Default, Args)]
pub(crate) struct TargetArgs {
    /// Session id, or its beginning or end [default: the project's latest session]
    #[arg(long, short, value_name = "ID|PART")]
    pub(crate) session: Option<SessionSelector>,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}
