//! Sessions as files: exports from a home, and imports into one.
//!
//! - [`bundle`]: a session with everything that belongs to it, for another Scorel.
//! - [`render`]: a conversation as a document, for people.
//! - [`audit`]: the model calls of a run of a workflow, for an auditor.
//! - [`transcript`]: conversations that other agents have written.
//! - [`ImportFile`]: a file that is one of these, opened and recognised.
//!
//! The crate opens no session and speaks no protocol: the client gives it events and blobs, the daemon
//! takes messages from it.

pub mod audit;
pub mod bundle;
mod import_file;
pub mod render;
pub mod transcript;

pub use import_file::{ImportContent, ImportError, ImportFile};
