//! The effects of a shell command, found without running it.
//!
//! [`read`] takes the text of a command apart with a grammar of the shell. In the [`ShellScript`] are
//! every simple command that it may run, with [`Facts`] about each, every file that a redirection opens,
//! and a doubt where anything was not understood. Nothing here knows rules or reads a file: what is
//! allowed is for `scorel-permission` to say.

mod name_table;
mod normal_path;
mod parse;
mod program;
mod script;
mod spelled;
mod variables;
mod word;

pub use normal_path::normal;
pub use parse::{STREAMS, read, read_text, read_words};
pub use program::{Facts, Inner, base_name, describe, safe_prefix};
pub use script::{FileAccess, Opened, ShellScript, SimpleCommand};
pub use spelled::spelled;
pub use variables::is_harmless_for_programs;
pub use word::{Word, WordKind};
