//! Heads of Markdown files, which strangers write and many programs read.

mod frontmatter;

pub use frontmatter::{Frontmatter, FrontmatterError};
