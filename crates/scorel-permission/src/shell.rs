//! The parts of a shell script.
//!
//! In goes the text of a command, out comes a [`ShellScript`]: every simple command it may run, every file it
//! opens, and a doubt where anything was not understood. The grammar's tree is not trusted: each byte of
//! the source must be accounted for by a node that was handled.

mod cursor;
mod expansion;
mod heredoc;
mod redirect;
mod script;
mod statement;
mod test_command;
mod variables;
mod word;

pub(crate) use self::script::{FileAccess, Opened, ShellScript, SimpleCommand};
pub(crate) use self::variables::{is_harmless_for_programs, is_harmless_in_shell};
pub(crate) use self::word::{Word, WordKind};

use std::path::{Path, PathBuf};

use crate::BaseDirs;

/// The script of a command's words, the program being the first, as one that another runs.
pub(crate) fn read_words(words: &[Word], directories: &[PathBuf], dirs: &BaseDirs) -> ShellScript {
    let mut script = ShellScript::default();
    cursor::call(words.to_vec(), &mut directories.to_vec(), dirs, &mut script);
    script
}

/// Parses a text that may be a command, which starts in one of the directories.
pub(crate) fn read_text(text: &str, directories: &[PathBuf], dirs: &BaseDirs) -> ShellScript {
    let mut script = ShellScript::default();
    cursor::read(text, &mut directories.to_vec(), dirs, 0, None, &mut script);
    script
}

/// Parses a command that starts in `directory`, absolute and normal.
pub(crate) fn read(command: &str, directory: &Path, dirs: &BaseDirs) -> ShellScript {
    read_text(command, &[directory.to_owned()], dirs)
}
