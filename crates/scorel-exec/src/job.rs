//! The protocol between the daemon, a supervisor and its stage.
//!
//! ```text
//! daemon ── socket: length, StandbyJob; length, SupervisorJob; its pipes; later GO, STOP, KILL; EOF = the daemon is gone ─→ supervisor
//! daemon ←─ stdout: the command's output ─ stderr: one SupervisorReport a line ───────── supervisor
//! supervisor ── socket: length, NamespaceJob if it makes a pid namespace; length, StageJob; its pipes; GO; EOF = the supervisor is gone ─→ stage
//! supervisor ←─ one StageReport a line; EOF = it became the shell ─────── stage
//! ```

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::guard::{MadeCopy, RestoreOutcome};
use crate::limits::{LimitKind, ResourceLimits, ResourceUsage};
use crate::sandbox::{Isolation, Sandbox};
use crate::surroundings::Surroundings;
use crate::umask::Umask;
use crate::working_directory::WorkingDirectory;

/// In bytes. The job has the command, its environment and the paths of the sandbox.
const MAX_JOB: usize = 16 * 1024 * 1024;

/// Writes a job with its length before it.
pub(crate) fn write_job(job: &impl Serialize, mut target: impl Write) -> io::Result<()> {
    let job = serde_json::to_vec(job)?;
    let length = u32::try_from(job.len()).map_err(io::Error::other)?;
    target.write_all(&length.to_le_bytes())?;
    target.write_all(&job)
}

/// Writes a line for the process that waits for reports. A failure means that it is gone, which others tell.
pub(crate) fn write_report(report: &impl Serialize, mut target: impl Write) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        let _ignored: io::Result<()> = target.write_all(&line);
    }
}

/// Takes the first complete line out of what was read of such reports.
#[cfg(target_os = "linux")]
pub(crate) fn take_line(read: &mut Vec<u8>) -> Option<Vec<u8>> {
    let end = memchr::memchr(b'\n', read)?;
    Some(read.drain(..=end).collect())
}

/// Reads a job and no byte after it.
pub(crate) fn read_job<T: DeserializeOwned>(mut source: impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    source.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_JOB {
        return Err(io::Error::other("the job is too large"));
    }
    let mut text = vec![0; length];
    source.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// The supervisor's work before it has an order. It depends on the kind of sandbox, not on the command.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StandbyJob {
    /// The daemon's process id. The supervisor compares it with `getppid` after it has asked for the
    /// parent-death signal, which does not come if the parent had died before.
    pub(crate) parent: i32,
    /// `None` if the stage makes the namespaces itself.
    pub(crate) namespaces: Option<NamespaceJob>,
}

/// An order on its way to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SupervisorJob {
    pub(crate) timeout_ms: Option<u64>,
    /// Set for a command that outlives the daemon, up to its end or its time limit.
    pub(crate) lasts: bool,
    pub(crate) watch: Option<WatchJob>,
    /// The copies of git's configuration that the stage's sandbox has links to.
    pub(crate) copies: Vec<MadeCopy>,
    pub(crate) stage: StageJob,
}

/// The resources of a command with limits, which the supervisor watches.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WatchJob {
    pub(crate) limits: ResourceLimits,
    /// Directories for temporary files.
    pub(crate) scratch: Vec<PathBuf>,
    /// The command's control group, which limits its memory; without one it is measured.
    pub(crate) cgroup: Option<PathBuf>,
    /// True if the daemon adds up what this command uses with others.
    pub(crate) reports_usage: bool,
}

/// The part of an order that the stage carries out.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StageJob {
    /// The supervisor's process id, filled in by the supervisor.
    pub(crate) parent: i32,
    pub(crate) directory: WorkingDirectory,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// True if its standard streams follow the job ([`ChildPipes`](crate::child_pipes::ChildPipes)).
    pub(crate) piped: bool,
    pub(crate) environment: Environment,
    pub(crate) sandbox: Option<Sandbox>,
    pub(crate) umask: Option<Umask>,
    /// The soft limit of open files; `None` keeps the daemon's.
    pub(crate) open_files: Option<u64>,
    pub(crate) limits: Option<ResourceLimits>,
    /// The control group that the command runs in.
    pub(crate) cgroup: Option<PathBuf>,
}

/// The job of the process that creates a pid namespace. It precedes the stage's job, which the
/// namespace's first process reads from the same socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NamespaceJob {
    pub(crate) surroundings: Surroundings,
    /// True if the command uses the host's network, whatever its surroundings are.
    pub(crate) network: bool,
    pub(crate) isolation: Isolation,
}

impl NamespaceJob {
    pub(crate) fn of(sandbox: &Sandbox) -> Self {
        Self {
            surroundings: sandbox.surroundings,
            network: sandbox.network,
            isolation: sandbox.isolation,
        }
    }

    /// The namespaces to make before the order has come; `None` for a command without a pid namespace.
    pub(crate) fn before_order(sandbox: Option<&Sandbox>) -> Option<Self> {
        let namespaces = sandbox.map(Self::of);
        namespaces.filter(|namespaces| namespaces.isolation.processes)
    }

    /// Returns whether the command gets a mount namespace.
    pub(crate) fn has_mounts(&self) -> bool {
        self.isolation.mounts || self.surroundings != Surroundings::Host
    }
}

/// A line from the stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StageReport {
    /// The command was not started.
    Failed(String),
    /// The process id of the first process of the command's pid namespace. It stays there until the
    /// last process has ended, and the others end with it.
    Namespace { init: i32 },
    /// The command waits for [`GO`], in a process that has its mounts.
    Prepared,
    /// The shell in the pid namespace has ended.
    Exited(ShellExit),
}

/// A byte from the daemon, which the supervisor passes on to the stage: start the command. The order
/// before it only prepares it.
pub(crate) const GO: u8 = b'g';

/// A byte from the daemon: send SIGTERM to everything, and SIGKILL after a grace period.
pub(crate) const STOP: u8 = b's';

/// A byte from the daemon: send SIGKILL to everything.
pub(crate) const KILL: u8 = b'k';

/// A line from the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SupervisorReport {
    /// The command was not started.
    Failed(String),
    Exited(ShellExit),
    TimedOut,
    /// The resources that the command uses now.
    Uses(ResourceUsage),
    /// The command has reached a limit and is killed.
    LimitReached(LimitKind),
    /// A task in which the supervisor failed; its other reports may be wrong for it.
    Problem(String),
    /// These guarded places were restored while the command runs.
    Restored(Vec<String>),
    /// The snapshot of guarded places was restored.
    Guarded(RestoreOutcome),
    /// The last report.
    Ended(EndedProcesses),
}

/// The processes of a command that has ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EndedProcesses {
    /// Processes that got a signal.
    pub(crate) signalled: u32,
    /// Processes that are left, since they cannot be killed.
    pub(crate) survivors: u32,
}

/// The shell's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ShellExit {
    /// With this exit code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
}

#[cfg(target_os = "linux")]
impl ShellExit {
    /// From what `wait` says; `None` for a process that has not ended.
    pub(crate) fn of(status: rustix::process::WaitStatus) -> Option<Self> {
        let code = status.exit_status().map(Self::Code);
        code.or_else(|| status.terminating_signal().map(Self::Signal))
    }
}
