//! What a supervisor is told, and what it says.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::sandbox::Sandbox;

/// A command to run.
#[derive(Debug, Clone)]
pub struct Order {
    /// The text that the shell gets.
    pub command: String,
    /// What the command finds in its environment.
    pub environment: Environment,
    /// What it may do; `None` is everything.
    pub sandbox: Option<Sandbox>,
    /// How long it may run.
    pub timeout: Option<Duration>,
    /// Where output that does not fit into memory is kept, up to a bound; nowhere if `None`. The
    /// file has no name.
    pub spool_dir: Option<PathBuf>,
}

/// An order on its way to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Job {
    /// The process that started the supervisor.
    pub(crate) parent: i32,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) stage: StageJob,
}

/// The part of an order that the stage carries out.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StageJob {
    /// The supervisor; set by itself.
    pub(crate) parent: i32,
    pub(crate) shell: PathBuf,
    pub(crate) command: String,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) sandbox: Option<Sandbox>,
}

/// A byte from the daemon that asks the supervisor to end the command gently.
pub(crate) const STOP: u8 = b's';

/// A line from the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Report {
    /// The command could not be started.
    Failed(String),
    /// What was to be protected is not.
    Unprotected,
    /// The shell has ended.
    Exited(Exit),
    /// The time limit was reached.
    TimedOut,
    /// What was guarded has been looked at.
    #[serde(rename_all = "camelCase")]
    Guarded {
        /// What was put back.
        restored: Vec<String>,
        /// Whether something could not be looked at or put back.
        has_gaps: bool,
    },
    /// Nothing of the command is left, or as little as could be.
    #[serde(rename_all = "camelCase")]
    Ended {
        /// How many processes were ended by force or request.
        signalled: u32,
        /// How many could not be ended.
        survivors: u32,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}
