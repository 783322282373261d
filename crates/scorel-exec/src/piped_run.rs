//! A started command whose input and output are pipes of the caller's.

use tokio::net::unix::pipe::{Receiver, Sender};

use crate::run::Run;

/// A started command with its pipes. Nothing is read ahead: what the caller does not take stays in the
/// kernel's pipe, and a command that fills it waits.
///
/// The ends of the outputs come when the command's last process has ended, or has closed them. Output
/// that was written before is still read after that.
#[derive(Debug)]
pub struct PipedRun {
    /// Waits for the command and ends it. Its own output is empty, unless the command was not started.
    pub run: Run,
    /// Dropping it is the end of the command's input.
    pub stdin: Sender,
    pub stdout: Receiver,
    pub stderr: Receiver,
}
