use std::time::Duration;

use super::{Config, RuntimeConfig};

impl Config {
    /// The limits of a turn: `[runtime]`, or those of the agent whose turn it is where they are lower. An agent
    /// that is not configured any more lowers nothing.
    pub fn runtime_of(&self, agent_type: Option<&str>) -> RuntimeConfig {
        let mut runtime = self.runtime.clone();
        if let Some(agent) = agent_type.and_then(|name| self.agents.get(name)) {
            let tokens = agent.config.max_turn_tokens;
            let time = agent.config.max_turn_seconds.map(Duration::from_secs);
            runtime.max_turn_tokens = tokens.map_or(runtime.max_turn_tokens, |it| {
                it.min(runtime.max_turn_tokens)
            });
            runtime.max_turn = time.map_or(runtime.max_turn, |it| it.min(runtime.max_turn));
            let costs = [runtime.cost.session, agent.max_session_cost];
            runtime.cost.session = costs.into_iter().flatten().min();
        }
        runtime
    }
}
