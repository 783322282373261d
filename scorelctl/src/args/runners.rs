//! Arguments of `runners`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use super::TargetArgs;

#[derive(Debug, Args)]
pub(crate) struct RunnersArgs {
    /// Project directory, for its permission mode [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) action: Option<RunnersCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunnersCommand {
    /// Start a runner without a prompt, and end it again: is it installed, does it answer, is it logged in?
    Check {
        /// A runner that `scorelctl runners` lists
        #[arg(value_name = "RUNNER", value_parser = NonEmptyStringValueParser::new())]
        runner: String,
    },
    /// List the contexts that runners keep of a session
    Contexts(TargetArgs),
    /// Give up the context that a runner keeps of a session: its next turn begins a new one
    Forget {
        /// A runner that `scorelctl runners contexts` lists
        #[arg(value_name = "RUNNER", value_parser = NonEmptyStringValueParser::new())]
        runner: String,
        #[command(flatten)]
        target: TargetArgs,
    },
}
