//! Serves sessions of the daemon to an editor that speaks the Agent Client Protocol on standard input and output.

#![warn(missing_docs)]
