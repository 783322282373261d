//! The result of parsing a command.

use std::path::PathBuf;

use crate::program::Facts;
use crate::word::Word;

/// The greatest number of doubts that are kept.
const MOST_DOUBTS: usize = 64;

/// A parsed command.
#[derive(Debug, Default)]
pub struct ShellScript {
    /// The simple commands, including those that wrappers run.
    pub parts: Vec<SimpleCommand>,
    /// The number of words that these have together.
    pub words: usize,
    /// The number of changes of the directory in these.
    pub directory_changes: usize,
    /// The files that redirections open.
    pub opened: Vec<Opened>,
    /// Texts that a shell may evaluate as arithmetic, and with it the commands in a subscript.
    pub evaluated: Vec<(String, Vec<PathBuf>)>,
    /// Reasons why it is not fully understood.
    pub doubts: Vec<String>,
}

#[derive(Debug)]
pub struct SimpleCommand {
    /// Assignments, the program, its arguments.
    pub words: Vec<Word>,
    /// The index of the program among them.
    pub program: usize,
    /// True if its standard input is a here-document, which stands in the command itself.
    pub has_heredoc: bool,
    /// The here-document or here-string that it reads.
    pub input: Option<String>,
    pub facts: Facts,
    /// Its possible working directories.
    pub directories: Vec<PathBuf>,
    /// The index of the part that runs it; `None` for the shell.
    pub within: Option<usize>,
}

/// A file that a redirection opens.
#[derive(Debug)]
pub struct Opened {
    pub word: Word,
    pub access: FileAccess,
    pub directories: Vec<PathBuf>,
}

/// The way in which a redirection opens a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
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
