//! Arguments of `skills` and `trust`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct SkillsArgs {
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Project directory [default: the working directory]
    #[arg(long, short, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) change: Option<TrustChange>,
}

/// A change of trust.
#[derive(Debug, Subcommand)]
pub(crate) enum TrustChange {
    /// Trust items as they are now
    Add {
        /// Items, such as skill:review
        #[arg(value_name = "ITEM", required_unless_present = "all",
            value_parser = NonEmptyStringValueParser::new())]
        items: Vec<String>,
        /// Everything that the project brings
        #[arg(long, conflicts_with = "items")]
        all: bool,
    },
    /// Take trust back
    Remove {
        /// Items, such as skill:review
        #[arg(value_name = "ITEM", required = true,
            value_parser = NonEmptyStringValueParser::new())]
        items: Vec<String>,
    },
}
