//! The command line of an order: a script or a program.

use std::path::{Path, PathBuf};

/// The program and arguments of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    /// A script, as for `bash -c`.
    Script(String),
    /// A program, with its arguments and without a shell. One without a slash is looked for in the
    /// `PATH` of the order's environment.
    Program {
        program: PathBuf,
        arguments: Vec<String>,
    },
}

impl From<String> for CommandLine {
    fn from(script: String) -> Self {
        Self::Script(script)
    }
}

impl CommandLine {
    /// The program with its arguments.
    pub(crate) fn into_parts(self) -> (PathBuf, Vec<String>) {
        match self {
            Self::Script(script) => (shell(), vec!["-c".to_owned(), script]),
            Self::Program { program, arguments } => (program, arguments),
        }
    }
}

/// Bash where it is installed: models write bash, whatever the tool is called.
fn shell() -> PathBuf {
    let candidates = ["/bin/bash", "/usr/bin/bash"];
    let bash = candidates.iter().find(|path| Path::new(path).exists());
    PathBuf::from(bash.unwrap_or(&"/bin/sh"))
}
