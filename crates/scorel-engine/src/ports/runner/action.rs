use std::path::PathBuf;

use crate::Effect;

/// What a runner asks to do, as far as it says so. Paths and text are the runner's own: not resolved,
/// and not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerAction {
    /// Runs a command, in the runner's own sandbox or in none.
    Command {
        /// As for a shell.
        command: String,
        /// The directory that it starts in.
        directory: PathBuf,
    },
    /// Creates, changes or deletes files.
    Write {
        /// The files, absolute or relative to the turn's directory.
        paths: Vec<PathBuf>,
    },
    /// Shows its model files.
    Read {
        /// The files, absolute or relative to the turn's directory.
        paths: Vec<PathBuf>,
    },
    /// Fetches a page.
    Fetch {
        /// The address.
        url: String,
    },
    /// Calls a tool of which only the name and the arguments are known.
    Other {
        /// The tool's name.
        tool: String,
    },
    /// Calls a tool of the daemon.
    Own {
        /// The tool's name.
        tool: String,
        /// The effects that the call would have.
        effects: Vec<Effect>,
    },
    /// Something that the runner does not tell, such as a command of which there is a title only.
    Untold {
        /// Its kind, or the tool's name, which stands for much else as well.
        tool: String,
    },
}
