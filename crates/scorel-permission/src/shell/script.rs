//! The result of parsing a command.

use std::path::PathBuf;

use super::Word;
use crate::program::Facts;

/// The greatest number of doubts that are kept.
const MOST_DOUBTS: usize = 64;

/// A parsed command.
#[derive(Debug, Default)]
pub(crate) struct ShellScript {
    /// The simple commands, including those that wrappers run.
    pub(crate) parts: Vec<SimpleCommand>,
    /// The number of words that these have together.
    pub(crate) words: usize,
    /// The number of changes of the directory in these.
    pub(crate) directory_changes: usize,
    /// The files that redirections open.
    pub(crate) opened: Vec<Opened>,
    /// Texts that a shell may evaluate as arithmetic, and with it the commands in a subscript.
    pub(crate) evaluated: Vec<(String, Vec<PathBuf>)>,
    /// Reasons why it is not fully understood.
    pub(crate) doubts: Vec<String>,
}

/// A simple command.
#[derive(Debug)]
pub(crate) struct SimpleCommand {
    /// Assignments, the program, its arguments.
    pub(crate) words: Vec<Word>,
    /// The index of the program among them.
    pub(crate) program: usize,
    /// Whether its standard input is a here-document, which stands in the command itself.
    pub(crate) has_heredoc: bool,
    /// The here-document or here-string that it reads.
    pub(crate) input: Option<String>,
    pub(crate) facts: Facts,
    /// Its possible working directories.
    pub(crate) directories: Vec<PathBuf>,
    /// The index of the part that runs it; `None` for the shell.
    pub(crate) within: Option<usize>,
}

/// A file that a redirection opens.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) word: Word,
    pub(crate) access: FileAccess,
    pub(crate) directories: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAccess {
    Read,
    Write,
}

impl ShellScript {
    pub(crate) fn doubt(&mut self, reason: impl Into<String>) {
        // One is enough to ask, so more would only be compared with each other.
        if self.doubts.len() >= MOST_DOUBTS {
            return;
        }
        let reason = reason.into();
        if !self.doubts.contains(&reason) {
            self.doubts.push(reason);
        }
    }
}
