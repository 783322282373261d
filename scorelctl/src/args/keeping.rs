//! Arguments of `delete`, `undelete` and `gc`.

use clap::Args;

use super::target::TargetArgs;

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Delete for good, also from the trash [default: move to the trash, from which `undelete` brings
    /// it back]
    #[arg(long)]
    pub(crate) now: bool,
    /// Stop the tasks that the session has given to agents, and delete their sessions with it
    #[arg(long)]
    pub(crate) children: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UndeleteArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Remove it [default: only report it]
    #[arg(long)]
    pub(crate) apply: bool,
}
