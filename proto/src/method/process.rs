//! Processes that the daemon keeps: programs of extensions.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ProjectId;

/// The state of a process that the daemon starts on first need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    /// The configuration turns it off.
    Disabled,
    /// It is a project's, and is not trusted as it is now.
    Untrusted,
    /// It is not needed now.
    Stopped,
    /// It was started and is not ready yet.
    Starting,
    /// It takes calls.
    Ready,
    /// It has failed, and starts again by itself.
    Backoff,
    /// It has failed too often, and starts again at the next call or `restartProcess`.
    Failed,
}

impl fmt::Display for ProcessState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disabled => "disabled",
            Self::Untrusted => "untrusted",
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Backoff => "backoff",
            Self::Failed => "failed",
        })
    }
}

/// A process that the daemon keeps.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessStatus {
    /// Its name for `restartProcess`, such as `extension:notes`.
    pub process: String,
    /// The project that it is of; absent for one of the user.
    pub project_id: Option<ProjectId>,
    /// The state.
    pub state: ProcessState,
    /// Why it does not run; absent unless it has failed.
    pub reason: Option<String>,
    /// Milliseconds until it starts again; absent unless it waits for that.
    pub starts_in_ms: Option<u64>,
    /// The number of its starts since the daemon's own.
    pub starts: u64,
    /// The mistakes in its manifest as it is now, with places. What was read before stays in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Parameters of `restartProcess`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartProcessParams {
    /// The process, as `getStatus` names it. Of several with this name, for several projects, all.
    pub process: String,
}

/// Result of `restartProcess`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestartProcessResult {
    /// The number of processes that start again.
    pub restarted: u32,
}

/// Parameters of `getProcessLog`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetProcessLogParams {
    /// The process, as `getStatus` names it.
    pub process: String,
}

/// Result of `getProcessLog`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetProcessLogResult {
    /// At most the last 16 KiB, of all its starts since the daemon was, without secrets.
    pub log: String,
}
