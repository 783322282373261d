use std::collections::BTreeMap;
use std::time::Duration;

use scorel_proto::AgentConfig;

/// The agents that sessions can give tasks to, by name.
pub type Agents = BTreeMap<String, AgentSettings>;

/// `[agents.TYPE]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    pub config: AgentConfig,
    /// The most of its runtimes that the project's own file lets run at once, whatever the user's
    /// numbers are.
    pub quota_cap: Option<u32>,
    pub limits: AgentLimits,
}

/// The limits of an agent's turns and sessions. Only a limit lower than that of `[runtime]` has an effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentLimits {
    pub max_turn_tokens: Option<u64>,
    pub max_turn: Option<Duration>,
    /// In millionths of a dollar.
    pub max_session_cost: Option<u64>,
}
