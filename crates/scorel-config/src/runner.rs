use std::collections::BTreeMap;
use std::time::Duration;

use scorel_runner::{Version, WireKind};
use serde::Deserialize;

use super::path::ConfigPath;
use super::variable::{VariableName, VariableValue};

/// The runners that sessions can choose, by name: those that are built in, with what the user's file
/// says of them, and those of the file alone.
pub(crate) type Runners = BTreeMap<String, RunnerConfig>;

/// `[runners.NAME]`, effective. Secrets are named, not held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerConfig {
    pub name: String,
    /// For people.
    pub label: String,
    pub wire: WireKind,
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// The model endpoint; `None` is the program's own.
    pub base_url: Option<String>,
    /// The secret that goes to `base_url`, and nowhere else.
    pub token_env: Option<String>,
    pub model: Option<String>,
    pub env: BTreeMap<VariableName, VariableValue>,
    /// Secrets by the names under which the program gets them.
    pub secret_env: BTreeMap<VariableName, String>,
    pub min_version: Option<Version>,
    pub sandbox: RunnerSandbox,
    /// Writable in [`RunnerSandbox::Scorel`], besides the project.
    pub state_dirs: Vec<ConfigPath>,
    /// How long its process is kept after a turn.
    pub keep: Duration,
    /// The time in which it must be ready to take a prompt.
    pub start: Duration,
    /// How long it may be silent while it does not ask.
    pub idle: Duration,
    /// How long it may take to end a turn after it was asked to.
    pub cancel: Duration,
    /// How much of the conversation is handed over to a new context, in bytes.
    pub handover_bytes: usize,
    pub on_context_lost: OnContextLost,
    /// Whether it may work in modes that ask, although it never does.
    pub trust_own: bool,
    /// The command that installs it.
    pub install: Option<String>,
    /// The command that logs in.
    pub login: Option<String>,
}

/// Which sandbox confines a runner, besides its permission requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunnerSandbox {
    /// Its own sandbox, if it has one. Only the program knows where its state is.
    #[default]
    Own,
    /// That of commands: the project and its state are writable, the network is on.
    Scorel,
}

/// What a turn does if the runner's context is gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnContextLost {
    /// It goes on in a new context, which is told the conversation.
    #[default]
    Renew,
    /// It ends with `runner_context_lost`.
    Fail,
}
