//! The interactive terminal client: a session in the terminal's own scrollback, with a live region at its bottom.

#![warn(missing_docs)]

pub mod composer;
pub mod keys;
pub mod region;
pub mod terminal;
