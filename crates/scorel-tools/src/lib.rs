//! The tools a model can call, on named roots.
//!
//! [`ProjectTools`] is the toolbox of one session: `Read`, `Glob`, `Grep`, `Write`, `Edit` and `Todo`
//! on the session's project. A tool gets its files from [`Roots`] and from nowhere else, so a path that the model
//! names cannot lead outside the directories that the session was given, whatever links are put in
//! its way while it is being resolved.
//!
//! A file is changed only where the model has seen what it changes, as it is at that moment, and never
//! halfway: the new content gets the file's name once all of it is on disk. Files that other programs
//! run or obey are changed only with a person's permission; [`ProjectTools::write_target`] tells of
//! them before a call runs.
//!
//! `WebFetch` gets pages from a [`PageSource`], which decides where they may come from.
//!
//! A call ends in two forms. The text is for the model: readable, bounded, and explicit about
//! everything that was left out. The `details` are for user interfaces: one object, `ok: true` with
//! figures or `ok: false` with an error's code, message and details.

mod arguments;
mod bash;
mod char_boundary;
mod content_hash;
mod details;
mod diff;
mod edit;
mod error;
mod glob;
mod grep;
mod host;
mod limits;
mod pace;
mod page;
mod project_tools;
mod read;
mod read_filter;
mod root;
mod roots;
mod seen;
mod selection;
mod shown_path;
mod todo;
mod tool;
mod walk;
mod web_fetch;
mod write;
mod write_target;

#[cfg(test)]
mod tests;

pub use bash::{COMMAND_TOOLS, CommandAccess, CommandSettings, Commands};
pub use error::{ErrorCode, ToolError};
pub use host::{BlobSink, ToolHost};
pub use project_tools::ProjectTools;
pub use read_filter::ReadFilter;
pub use root::{OpenRootError, Root, RootName};
pub use roots::{EntryKind, Location, Roots};
pub use selection::Selection;
pub use web_fetch::{Fetched, Page, PageSource, WEB_FETCH};
pub use write_target::WriteTarget;
