//! The parser: from the text of a command to its parts.
//!
//! The grammar's tree is not trusted: each byte of the source must be accounted for by a node that was
//! handled, or the script has a doubt.

mod cursor;
mod expansion;
mod grammar;
mod heredoc;
mod redirect;
mod statement;
mod test_command;

use std::path::{Path, PathBuf};

use self::cursor::Cursor;
pub use self::redirect::STREAMS;
use crate::script::ShellScript;
use crate::word::Word;

/// Parses a command that starts in `directory`, absolute and normal. `home` replaces `~`.
pub fn read(command: &str, directory: &Path, home: &Path) -> ShellScript {
    read_text(command, &[directory.to_owned()], home)
}

/// Parses a text that may be a command, which starts in one of the directories.
pub fn read_text(text: &str, directories: &[PathBuf], home: &Path) -> ShellScript {
    let mut script = ShellScript::default();
    Cursor::new(text, home, directories.to_vec(), &mut script).read();
    script
}

/// The script of a command's words, the program being the first, as one that another program runs.
pub fn read_words(words: &[Word], directories: &[PathBuf], home: &Path) -> ShellScript {
    let mut script = ShellScript::default();
    Cursor::new("", home, directories.to_vec(), &mut script).call(words.to_vec(), 0);
    script
}
