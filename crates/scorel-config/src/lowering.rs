//! Applies a project's file, which may lower limits and never raise them.

use super::Config;
use super::agent_section::saturated;
use super::dollars::Dollars;
use super::project::ProjectLayer;
use super::schema::OrchestratorSection;
use super::warning::{Warning, warning};

/// Lowers what the project's file lowers, and warns of what it would raise.
pub(crate) fn lower(config: &mut Config, layer: &ProjectLayer) {
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
