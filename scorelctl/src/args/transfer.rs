//! Sessions as files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::target::TargetArgs;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// What to write
    #[arg(long, short, value_name = "FORMAT", default_value = "md")]
    pub(crate) format: ExportFormat,
    /// The file to write; `-` is standard output [default: a file with the session's id in the working
    /// directory]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// With `jsonl`: also the other branches of the conversation, and all other events
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The conversation as Markdown
    Md,
    /// The conversation as one HTML file
    Html,
    /// The events of the conversation, one JSON object a line
    Jsonl,
    /// Everything, for `scorelctl import`: a .tar.gz with the log, the blobs and their hashes
    Bundle,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A bundle of `scorelctl export`, a transcript of Claude Code or a rollout of Codex
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Project directory, registered on first use [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}
