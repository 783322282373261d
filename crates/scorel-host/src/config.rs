//! The configuration: `config.toml` in the home, and `.scorel/config.toml` in a project over it.
//!
//! One schema, in the `schema` module, holds for both. A file with an unknown key or a value out of
//! range is refused as a whole, with the place and what was probably meant.
//!
//! A project's file comes from whoever wrote the repository. Only the model's id, its thinking
//! level, lower limits for a turn and rules that deny or ask are taken from it; what else it sets is
//! left out and reported.

mod bounded;
mod dollars;
mod error;
mod layers;
mod model;
mod model_section;
mod on_restart;
mod origin;
mod parse;
mod place;
mod project;
mod schema;
mod source;

pub use error::{ConfigError, Position};
pub use model::{KeyName, Layer, ModelSettings};
pub use on_restart::OnRestart;
pub use place::Place;
pub use project::Warning;
pub use source::ConfigSource;

use std::time::Duration;

use scorel_fetch::PrivateHost;
use scorel_journal::Durability;
use scorel_permission::Mode;
use scorel_proto::ToolPreset;
use scorel_provider::Timeouts;
use scorel_rpc::Limits;

use crate::permission::RuleSet;

/// Everything that is configured, checked and complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Which model new turns use.
    pub model: ModelSettings,
    /// How sessions are kept.
    pub sessions: SessionsConfig,
    /// How turns run.
    pub runtime: RuntimeConfig,
    /// What one connection may use. Read once, when the daemon starts.
    pub rpc: Limits,
    /// Which tools there are, and what commands reach.
    pub tools: ToolsConfig,
    /// What is allowed, asked about and denied.
    pub permissions: PermissionsConfig,
    /// What the project's file sets and may not.
    pub warnings: Vec<Warning>,
}

/// How sessions are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionsConfig {
    /// When an event counts as written.
    pub durability: Durability,
    /// How many bytes of recent events a loaded session keeps for its subscribers.
    pub ring_bytes: usize,
    /// How long a session that nobody watches stays in memory.
    pub idle_unload: Duration,
}

/// How turns run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeConfig {
    /// How many model calls a turn may make.
    pub max_steps: u32,
    /// How long a turn may take.
    pub max_turn: Duration,
    /// How many tokens a turn may use, input and output of all calls together.
    pub max_turn_tokens: u64,
    /// How many tool calls of one answer are run.
    pub max_tool_calls: usize,
    /// How often a failed model call is tried again.
    pub retries: u32,
    /// How long to wait for a model's endpoint.
    pub timeouts: Timeouts,
    /// What happens to a turn that a restart cut off.
    pub on_restart: OnRestart,
}

/// Which tools there are, and what commands reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsConfig {
    /// Which tools sessions have that do not say it themselves.
    pub preset: ToolPreset,
    /// What commands may write besides the project and the usual package caches.
    pub caches: Vec<Place>,
    /// What commands cannot read besides the usual places of credentials.
    pub hidden: Vec<Place>,
    /// Hosts that pages may be fetched from wherever they are.
    pub fetch_private: Vec<PrivateHost>,
}

/// What is allowed, asked about and denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionsConfig {
    /// What happens where no rule speaks.
    pub mode: Mode,
    pub(crate) rules: RuleSet,
    /// How long a question stands; for ever if absent.
    pub timeout: Option<Duration>,
    /// Whether a call runs if nobody has answered by then.
    pub allow_at_timeout: bool,
}

#[cfg(test)]
mod tests;
