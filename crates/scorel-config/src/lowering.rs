//! Applies a project's file, which may lower limits and never raise them.

use std::time::Duration;

use super::agent::AgentSettings;
use super::bounded::{narrow, number};
use super::dollars::Dollars;
use super::project::ProjectLayer;
use super::schema::AgentSection;
use super::warning::{Warning, warning};
use super::{Config, RuntimeConfig, WorkflowConfig};

/// One section of a project's file over the user's.
struct Lowering<'a> {
    layer: &'a ProjectLayer,
    section: &'static str,
    warnings: &'a mut Vec<Warning>,
}

/// Lowers what the project's file lowers, and warns of what it would raise.
pub(crate) fn lower(config: &mut Config, layer: &ProjectLayer) {
    lower_runtime(&mut config.runtime, layer, &mut config.warnings);
    for (name, section) in &layer.agents {
        let applied = match config.agents.get_mut(name) {
            Some(agent) => {
                lower_agent(agent, section.get_ref()).map_err(|reason| (".enabled", reason))
            }
            None => Err(("", "the user's file has no such agent")),
        };
        if let Err((key, reason)) = applied {
            let key = format!("agents.{name}{key}");
            config.warnings.push(warning(&layer.path, key, reason));
        }
    }
    let mut section = Lowering {
        layer,
        section: "orchestrator",
        warnings: &mut config.warnings,
    };
    let (ours, theirs) = (&mut config.orchestrator, &layer.orchestrator);
    for (key, ours, theirs) in [
        (
            "maxRunning",
            &mut ours.max_running,
            number(theirs.max_running),
        ),
        ("maxOpen", &mut ours.max_open, number(theirs.max_open)),
        ("maxQueued", &mut ours.max_queued, number(theirs.max_queued)),
        (
            "maxSpawnsPerTurn",
            &mut ours.max_spawns_per_turn,
            number(theirs.max_spawns_per_turn),
        ),
        ("maxDepth", &mut ours.max_depth, number(theirs.max_depth)),
    ] {
        section.lower(key, ours, theirs.map(narrow));
    }
    section.lower_cost("maxCost", &mut ours.max_cost, theirs.max_cost);
    lower_workflow(&mut config.workflow, layer, &mut config.warnings);
}

fn lower_workflow(ours: &mut WorkflowConfig, layer: &ProjectLayer, warnings: &mut Vec<Warning>) {
    let mut section = Lowering {
        layer,
        section: "workflow",
        warnings,
    };
    let theirs = &layer.workflow;
    let bytes = number(theirs.max_read_bytes);
    section.lower("maxReadBytes", &mut ours.max_read_bytes, bytes);
    let bytes = number(theirs.max_write_bytes);
    section.lower("maxWriteBytes", &mut ours.max_write_bytes, bytes);
    section.lower_cost("maxRunCost", &mut ours.max_run_cost, theirs.max_run_cost);
    let tokens = number(theirs.max_run_tokens);
    section.lower_number("maxRunTokens", &mut ours.max_run_tokens, tokens);
    let spawns = number(theirs.max_spawns);
    section.lower_number("maxSpawns", &mut ours.max_spawns, spawns);
}

fn lower_runtime(ours: &mut RuntimeConfig, layer: &ProjectLayer, warnings: &mut Vec<Warning>) {
    let mut section = Lowering {
        layer,
        section: "runtime",
        warnings,
    };
    let theirs = &layer.limits;
    let (cost, time) = (&mut ours.cost, number(theirs.max_turn_seconds));
    section.lower_cost("maxTurnCost", &mut cost.turn, theirs.max_turn_cost);
    section.lower_cost("maxSessionCost", &mut cost.session, theirs.max_session_cost);
    section.lower_cost("maxDayCost", &mut cost.day, theirs.max_day_cost);
    let steps = number(theirs.max_steps).map(narrow);
    section.lower("maxSteps", &mut ours.max_steps, steps);
    section.lower(
        "maxTurnSeconds",
        &mut ours.max_turn,
        time.map(Duration::from_secs),
    );
    section.lower(
        "maxTurnTokens",
        &mut ours.max_turn_tokens,
        number(theirs.max_turn_tokens),
    );
    let calls = number(theirs.max_tool_calls).map(narrow);
    section.lower("maxToolCalls", &mut ours.max_tool_calls, calls);
}

/// The keys of an agent that a project may set: it only restricts what the user's file allows.
fn lower_agent(ours: &mut AgentSettings, theirs: &AgentSection) -> Result<(), &'static str> {
    ours.quota_cap = number(theirs.default_quota).map(narrow);
    match theirs.enabled {
        Some(true) if !ours.config.enabled => Err("a project can only disable it"),
        enabled => {
            ours.config.enabled = enabled.unwrap_or(ours.config.enabled);
            Ok(())
        }
    }
}

impl Lowering<'_> {
    fn lower<T: Ord>(&mut self, key: &str, ours: &mut T, theirs: Option<T>) {
        match theirs {
            Some(theirs) if theirs > *ours => {
                let key = format!("{}.{key}", self.section);
                let reason = "a project can only lower it";
                self.warnings.push(warning(&self.layer.path, key, reason));
            }
            Some(theirs) => *ours = theirs,
            None => {}
        }
    }

    /// Without a limit of the user's, each is lower.
    fn lower_cost(&mut self, key: &str, ours: &mut Option<u64>, theirs: Option<Dollars>) {
        self.lower_number(key, ours, theirs.map(Dollars::get));
    }

    fn lower_number(&mut self, key: &str, ours: &mut Option<u64>, theirs: Option<u64>) {
        if theirs.is_some() {
            let mut limit = ours.unwrap_or(u64::MAX);
            self.lower(key, &mut limit, theirs);
            *ours = Some(limit);
        }
    }
}
