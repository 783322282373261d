//! What a shell command consists of.

mod cursor;
mod expansion;
mod heredoc;
mod redirect;
mod script;
mod statement;
mod test_command;
mod variables;
mod word;

pub(crate) use self::script::{Access, Opened, Part, Script};
pub(crate) use self::variables::{is_harmless_for_programs, is_harmless_in_shell};
pub(crate) use self::word::{Word, WordKind};

use std::path::Path;

use crate::Place;

/// Takes a command apart that is to run in `directory`, absolute and normal.
pub(crate) fn read(command: &str, directory: &Path, place: &Place) -> Script {
    let mut script = Script::default();
    cursor::read(
        command,
        &mut vec![directory.to_owned()],
        place,
        0,
        None,
        &mut script,
    );
    script
}
