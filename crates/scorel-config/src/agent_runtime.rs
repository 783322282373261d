use super::{AgentLimits, Config, RuntimeConfig};

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
