//! Heads of Markdown files, which strangers write and many programs read.
//!
//! Two readers: [`Frontmatter`] takes what other programs write, also if it is not quite YAML; [`Document`] is strict,
//! knows where each value stands, and changes one without touching another byte.

mod document;
mod fence;
mod frontmatter;

pub use document::{
    Document, DocumentError, DocumentProblem, EditError, MAX_DEPTH, MAX_HEAD_BYTES, Place,
};
pub use frontmatter::{Frontmatter, FrontmatterError};
