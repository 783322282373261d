//! What a command consists of.

use std::path::PathBuf;

use super::Word;
use crate::program::Facts;

/// What a command consists of.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// The programs that it runs, those too that other programs run for it.
    pub(crate) parts: Vec<Part>,
    /// The files that the shell itself opens.
    pub(crate) opened: Vec<Opened>,
    /// What cannot be understood.
    pub(crate) doubts: Vec<String>,
}

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Part {
    /// Assignments that concern programs, the program's name, its arguments.
    pub(crate) words: Vec<Word>,
    /// What is known about the program and its arguments.
    pub(crate) facts: Facts,
    /// The directories that it may run in.
    pub(crate) directories: Vec<PathBuf>,
    /// The index of the part that runs it; nothing if the shell does.
    pub(crate) within: Option<usize>,
}

/// A file that the shell opens for a redirection.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) word: Word,
    pub(crate) access: Access,
    pub(crate) directories: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Script {
    pub(crate) fn doubt(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.doubts.contains(&reason) {
            self.doubts.push(reason);
        }
    }
}
