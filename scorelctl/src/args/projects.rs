use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ProjectsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProjectsCommand>,
}

/// A change of the registered projects.
#[derive(Debug, Subcommand)]
pub(crate) enum ProjectsCommand {
    /// Register a directory
    Add {
        /// The directory [default: the working directory]
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
        /// What lists call it [default: the directory's name]
        #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
        name: Option<String>,
    },
    /// Give a project another name in lists; the directory stays as it is
    Rename {
        /// Its directory, its name, or its id or a part of it
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        project: String,
        /// The new name; an empty one stands for the directory's name
        #[arg(required = true)]
        name: Vec<String>,
    },
    /// Remove a project that has no sessions; the directory and its files stay
    Remove {
        /// Its directory, its name, or its id or a part of it
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        project: String,
    },
}
