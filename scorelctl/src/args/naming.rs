//! Arguments of `rename` and `archive`.

use clap::Args;

use super::target::TargetArgs;

#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The new title: one line
    #[arg(value_name = "TITLE", required = true)]
    pub(crate) title: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Take it out of the archive [default session: the project's latest that is archived]
    #[arg(long)]
    pub(crate) undo: bool,
}
