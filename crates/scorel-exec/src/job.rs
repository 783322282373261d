//! The protocol between the daemon, a supervisor and its stage.
//!
//! ```text
//! daemon ── stdin: length, SupervisorJob; later STOP bytes; EOF = the daemon is gone ─→ supervisor
//! daemon ←─ stdout: the command's output ─ stderr: one SupervisorReport a line ───────── supervisor
//! supervisor ── socket: StageJob ─→ stage ── an error's text, or EOF when it became the shell ─→
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::sandbox::Sandbox;
use crate::shared_space::SharedSpace;
use crate::umask::Umask;

/// A command to run.
#[derive(Debug, Clone)]
pub struct CommandOrder {
    /// The script, as for `bash -c`.
    pub command: String,
    pub environment: Environment,
    /// `None` runs the command with all rights of the user.
    pub sandbox: Option<Sandbox>,
    /// The space that a sandboxed command joins, instead of its [`Sandbox::surroundings`]. It lasts at
    /// least as long as the command.
    pub space: Option<Arc<SharedSpace>>,
    /// `None` is no limit.
    pub timeout: Option<Duration>,
    /// The umask of the command; `None` keeps this process's.
    pub umask: Option<Umask>,
    /// Where output beyond the memory limit is spooled, in a file without a name; `None` drops its
    /// middle.
    pub spool_dir: Option<PathBuf>,
}

/// An order on its way to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SupervisorJob {
    /// The daemon's process id. The supervisor compares it with `getppid` after it has asked for the
    /// parent-death signal, which does not come if the parent had died before.
    pub(crate) parent: i32,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) stage: StageJob,
}

/// The part of an order that the stage carries out.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StageJob {
    /// The supervisor's process id, filled in by the supervisor.
    pub(crate) parent: i32,
    pub(crate) shell: PathBuf,
    pub(crate) command: String,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) sandbox: Option<Sandbox>,
    pub(crate) umask: Option<Umask>,
    /// The soft limit of open files; `None` keeps the daemon's.
    pub(crate) open_files: Option<u64>,
}

/// A byte from the daemon: send SIGTERM to everything, and SIGKILL after a grace period.
pub(crate) const STOP: u8 = b's';

/// A line from the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SupervisorReport {
    /// The command was not started.
    Failed(String),
    Exited(ShellExit),
    TimedOut,
    /// The snapshot of guarded places was restored.
    #[serde(rename_all = "camelCase")]
    Guarded {
        restored: Vec<String>,
        has_gaps: bool,
    },
    /// The last report: no process is left, or those that cannot be killed.
    #[serde(rename_all = "camelCase")]
    Ended {
        /// Processes that got a signal.
        signalled: u32,
        survivors: u32,
    },
}

/// How the shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ShellExit {
    /// With this exit code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
}
