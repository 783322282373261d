//! The tools a model can call, on named roots.
//!
//! [`ProjectTools`] is the toolbox of one session: `Read`, `Glob` and `Grep` on the session's
//! project. A tool gets its files from [`Roots`] and from nowhere else, so a path that the model
//! names cannot lead outside the directories that the session was given, whatever links are put in
//! its way while it is being resolved.
//!
//! A call ends in two forms. The text is for the model: readable, bounded, and explicit about
//! everything that was left out. The `details` are for user interfaces: one object, `ok: true` with
//! figures or `ok: false` with an error's code, message and details.

mod arguments;
mod char_boundary;
mod details;
mod error;
mod glob;
mod grep;
mod pace;
mod page;
mod project_tools;
mod read;
mod root;
mod roots;
mod shown_path;
mod tool;
mod walk;

#[cfg(test)]
mod tests;

pub use error::{ErrorCode, ToolError};
pub use project_tools::ProjectTools;
pub use root::{OpenRootError, Root, RootName};
pub use roots::{EntryKind, Location, Roots};
