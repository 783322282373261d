//! Renders a session as styled lines of text.
//!
//! No I/O: events come in, finished lines and the tail of what is unfinished go out. One renderer serves every command
//! that shows a session.

#![warn(missing_docs)]
