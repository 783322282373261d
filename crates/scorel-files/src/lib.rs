//! Records the changes of a project's files, and restores files to an earlier state.
//!
//! ```text
//! tools ──→ FileRecorder ──→ states and changes, for the records of the log
//!                │    └────→ ContentStore: contents of the files
//!                ↓
//!           ProjectDir: opens paths below the project, never through a link
//! ```
//!
//! A tool that says which file it changes is recorded exactly: state before, state after. A command is
//! watched: the files that are not ignored are compared with a copy from before, the base. Files of
//! version control, ignored ones and those outside the project are never recorded, and git is neither
//! run nor written.
//!
//! Everything here blocks on the disk.

mod attributes;
mod base;
mod beneath;
mod content_store;
mod limits;
mod project_dir;
mod recorder;
mod restore;
mod sync;
mod temporary;
mod walk;

pub use attributes::Attributes;
pub use beneath::{LOOK, Links, MAX_LINKS, Resolver};
pub use limits::CheckpointLimits;
pub use project_dir::{ProjectDir, digest, hash_of};
pub use recorder::FileRecorder;
pub use temporary::{remove_left_over, temporary_names};
pub use walk::{OF_THE_KERNEL, VCS_DIRECTORIES, has_blocking_ignore_file, visit_files};
