//! What a project's file says of agents and of the orchestrator: it can only make less of both.

use std::collections::BTreeMap;

use toml::Spanned;

use super::Config;
use super::agent::AgentSettings;
use super::agent_section::saturated;
use super::dollars::Dollars;
use super::project::{ProjectLayer, Warning, warning};
use super::schema::{AgentSection, OrchestratorSection};

/// The part of a project's `[agents.TYPE]` that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AgentLayer {
    quota_cap: Option<u32>,
    enabled: Option<bool>,
}

impl AgentLayer {
    pub(super) fn all(
        sections: &BTreeMap<String, Spanned<AgentSection>>,
    ) -> BTreeMap<String, Self> {
        let layers = sections.iter().map(|(name, section)| {
            let section = section.get_ref();
            let quota = section.default_quota.map(|quota| quota.get());
            let layer = Self {
                quota_cap: quota.map(saturated),
                enabled: section.enabled,
            };
            (name.clone(), layer)
        });
        layers.collect()
    }

    fn apply(self, agent: &mut AgentSettings) -> Result<(), &'static str> {
        agent.quota_cap = self.quota_cap;
        match self.enabled {
            Some(true) if !agent.config.enabled => Err("a project can only disable it"),
            Some(enabled) => {
                agent.config.enabled = enabled;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Lowers what the project's file lowers, and warns of what it would raise.
pub(super) fn lower(config: &mut Config, layer: &ProjectLayer) {
    for (name, settings) in &layer.agents {
        let applied = match config.agents.get_mut(name) {
            Some(agent) => settings.apply(agent).map_err(|reason| (".enabled", reason)),
            None => Err(("", "the user's file has no such agent")),
        };
        if let Err((key, reason)) = applied {
            let key = format!("agents.{name}{key}");
            config.warnings.push(warning(&layer.path, key, reason));
        }
    }
    lower_orchestrator(config, layer);
}

fn lower_orchestrator(config: &mut Config, layer: &ProjectLayer) {
    let (limits, warnings) = (&mut config.orchestrator, &mut config.warnings);
    let theirs = numbers(&layer.orchestrator);
    let ours = [
        &mut limits.max_running,
        &mut limits.max_open,
        &mut limits.max_queued,
        &mut limits.max_spawns_per_turn,
        &mut limits.max_depth,
    ];
    for (ours, (key, theirs)) in ours.into_iter().zip(theirs) {
        match theirs.map(saturated) {
            Some(theirs) if theirs > *ours => warnings.push(only_lower(layer, key)),
            Some(theirs) => *ours = theirs,
            None => {}
        }
    }
    let theirs = layer.orchestrator.max_cost.map(Dollars::get);
    match (limits.max_cost, theirs) {
        (Some(ours), Some(theirs)) if theirs > ours => {
            warnings.push(only_lower(layer, "maxCost"));
        }
        // Without a limit of the user's, each is lower.
        (ours, theirs) => limits.max_cost = theirs.or(ours),
    }
}

fn numbers(section: &OrchestratorSection) -> [(&'static str, Option<u64>); 5] {
    [
        ("maxRunning", section.max_running.map(|it| it.get())),
        ("maxOpen", section.max_open.map(|it| it.get())),
        ("maxQueued", section.max_queued.map(|it| it.get())),
        (
            "maxSpawnsPerTurn",
            section.max_spawns_per_turn.map(|it| it.get()),
        ),
        ("maxDepth", section.max_depth.map(|it| it.get())),
    ]
}

fn only_lower(layer: &ProjectLayer, key: &str) -> Warning {
    let key = format!("orchestrator.{key}");
    warning(&layer.path, key, "a project can only lower it")
}
