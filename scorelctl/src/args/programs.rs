//! Arguments of `completions` and `man`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that reads the script
    #[arg(value_name = "SHELL")]
    pub(crate) shell: CompletedShell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletedShell {
    /// In ~/.bashrc: source <(scorelctl completions bash)
    Bash,
    /// In ~/.zshrc, after compinit: source <(scorelctl completions zsh)
    Zsh,
    /// In ~/.config/fish/config.fish: scorelctl completions fish | source
    Fish,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The directory to write the pages into, such as build/man1
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}
