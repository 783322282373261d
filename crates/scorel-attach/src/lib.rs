//! The interactive terminal client: a session in the terminal's own scrollback, with a live region at its bottom.

#![warn(missing_docs)]
