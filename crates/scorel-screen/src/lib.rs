//! Renders a session as styled lines of text.
//!
//! No I/O: events come in, finished lines and the tail of what is unfinished go out. One renderer serves every command
//! that shows a session. [`Renderer`] makes [`Line`]s of events, a [`Theme`] makes bytes of a line.

#![warn(missing_docs)]

mod blocks;
pub mod escape;
mod layout;
mod line;
mod line_buffer;
mod markdown;
mod markup;
mod message;
mod open_text;
mod page;
mod renderer;
mod signed;
mod style;
mod text_block;
mod theme;
mod todos;
mod tools;
pub mod waits;
mod width;
mod wrap;

pub use jiff::tz::TimeZone;

pub use escape::visible;
pub use layout::Layout;
pub use line::{Line, Span};
pub use markup::Markup;
pub use message::wrapped_message;
pub use renderer::Renderer;
pub use style::Style;
pub use theme::Theme;
pub use todos::TodoList;
pub use width::width;
pub use wrap::wrap;
