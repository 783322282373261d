//! Files that others write: opening what another program may have replaced, and reading texts in any
//! encoding.
//!
//! A command of an agent can put a link, a FIFO or a device where a file is expected. What is opened
//! here is a regular file, and opening it waits for nothing.

mod foreign_text;
mod git_dir;
mod if_present;
mod regular_file;
mod text_encoding;

pub use foreign_text::read_foreign_text;
pub use git_dir::{git_dir, named_git_dir};
pub use if_present::if_present;
pub use regular_file::{create_regular, open_linked, open_regular};
pub use text_encoding::{TextEncoding, Unencodable, text_of};
