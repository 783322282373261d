//! The table of options: what each program's options are, which take a value, and what they do.
//!
//! A row has words. One that is not listed here is an option with its names, one letter or more, and
//! marks: `=` it has a value, `<` one that is a file it reads, `>` a file it writes, `@` a text that
//! may name a file; `?` its value may be left out and is attached; `!` it makes the program do something
//! else; `'` it gives what the first operand is otherwise. A name with a dash stands for the whole word.
//!
//! | word | meaning |
//! |---|---|
//! | `*` | other options do not matter: none does more than read, or the listed ones are all that do |
//! | `^` | the word `--` does not end the options |
//! | `#` | a number may be an option, as in `head -5` |
//! | `+` | options end at the first operand; `+1` and `+2`: so many operands precede a program |
//! | `~` | the first word may be letters of options without a dash |
//! | `|` | the operands follow, the last mark for all further ones: `=` text, `<` a file it reads, `>` one it writes, `!` something else, `+` a text if it begins so, `v` a variable, `u` an address |

mod git;
mod others;
mod reading;

use self::git::{COMMANDS, COMMON, GLOBAL};
use self::others::ROWS;
use self::reading::READING;
use super::usage::Usage;
use crate::name_table::look_up;

/// The row of a program, or of a program's command, as in `git log`.
pub(super) fn usage(name: &str) -> Option<Usage> {
    let other = || Some(Usage([look_up(&ROWS, name)?, ""]));
    of_reading(name).or_else(other)
}

/// The row of a program that only reads, but for what its row marks.
pub(super) fn of_reading(name: &str) -> Option<Usage> {
    Some(Usage([look_up(&READING, name)?, ""]))
}

/// The row of a command of git. Of those without one, no option does more than those of all.
pub(super) fn of_git(command: &str) -> Usage {
    Usage([look_up(&COMMANDS, command).unwrap_or("* | <"), COMMON])
}

/// The options that precede the command of a program, such as `git` or `npm`.
pub(super) fn before_command(program: &str) -> Option<Usage> {
    Some(Usage([look_up(&GLOBAL, program)?, ""]))
}
