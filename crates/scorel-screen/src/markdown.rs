//! Markdown as styled lines, block by block while it streams in.

mod block_writer;
mod inline;
mod line_kind;
mod look;
mod stream;
mod table;

pub(crate) use look::MarkdownLook;
pub(crate) use stream::MarkdownStream;
