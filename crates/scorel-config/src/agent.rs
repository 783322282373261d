use std::collections::BTreeMap;

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
    /// Of each of its sessions, in millionths of a dollar. Only one lower than that of `[runtime]` has an effect.
    pub max_session_cost: Option<u64>,
}
