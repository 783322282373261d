use std::collections::BTreeMap;
use std::time::Duration;

use scorel_proto::AgentConfig;

use super::{Config, RuntimeConfig};

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

/// What an agent's turns may use. Only what is lower than `[runtime]` has an effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentLimits {
    pub max_turn_tokens: Option<u64>,
    pub max_turn: Option<Duration>,
    /// In millionths of a dollar.
    pub max_session_cost: Option<u64>,
}

impl Config {
    /// The limits of a turn: `[runtime]`, lowered by the agent whose turn it is. An agent that is not
    /// configured any more lowers nothing.
    #[must_use]
    pub fn runtime_of(&self, agent_type: Option<&str>) -> RuntimeConfig {
        match agent_type.and_then(|name| self.agents.get(name)) {
            Some(agent) => self.runtime.lowered_by(&agent.limits),
            None => self.runtime.clone(),
        }
    }
}

impl RuntimeConfig {
    /// These limits, or the agent's where they are lower.
    #[must_use]
    pub fn lowered_by(&self, limits: &AgentLimits) -> Self {
        let mut lowered = self.clone();
        lowered.max_turn_tokens = lowest(Some(self.max_turn_tokens), limits.max_turn_tokens)
            .unwrap_or(self.max_turn_tokens);
        lowered.max_turn = lowest(Some(self.max_turn), limits.max_turn).unwrap_or(self.max_turn);
        lowered.cost.session = lowest(self.cost.session, limits.max_session_cost);
        lowered
    }
}

/// The lower of two limits; `None` is no limit.
fn lowest<T: Ord>(ours: Option<T>, theirs: Option<T>) -> Option<T> {
    ours.into_iter().chain(theirs).min()
}
