use scorel_orchestrator::OrchestratorLimits;

use super::agent_section::saturated;
use super::dollars::Dollars;
use super::schema::OrchestratorSection;

/// `[orchestrator]`, effective.
pub(super) fn orchestrator_limits(section: &OrchestratorSection) -> OrchestratorLimits {
    let usual = OrchestratorLimits::default();
    let or = |number: Option<u64>, usual| number.map_or(usual, saturated);
    OrchestratorLimits {
        max_running: or(section.max_running.map(|it| it.get()), usual.max_running),
        max_open: or(section.max_open.map(|it| it.get()), usual.max_open),
        max_queued: or(section.max_queued.map(|it| it.get()), usual.max_queued),
        max_spawns_per_turn: or(
            section.max_spawns_per_turn.map(|it| it.get()),
            usual.max_spawns_per_turn,
        ),
        max_depth: or(section.max_depth.map(|it| it.get()), usual.max_depth),
        max_cost: section.max_cost.map(Dollars::get),
    }
}
