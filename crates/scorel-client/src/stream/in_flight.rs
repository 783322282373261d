//! What a reload says about the things that are open.

use scorel_proto::{InFlight, OpenTurn, Phase, SessionView, TurnId, Usage};

/// Replaces what is open in a view by what the daemon says is open.
pub(super) fn apply(view: &mut SessionView, in_flight: &InFlight) {
    view.open = in_flight.open.clone();
    view.state.queue = in_flight.queue.clone();
    view.state.permissions.clone_from(&in_flight.permissions);
    let known = view.state.turn_id();
    if in_flight.turn_id != known {
        view.state.turn = in_flight.turn_id.map(joined);
    }
    if let Some(turn) = &mut view.state.turn {
        turn.running = in_flight.phase != Phase::Preparing;
    }
}

/// A turn whose beginning this client has not seen.
fn joined(turn_id: TurnId) -> OpenTurn {
    OpenTurn {
        resumed: false,
        has_hole: false,
        turn_id,
        started_at: 0,
        running: true,
        waiting: None,
        paused_at: None,
        paused_ms: 0,
        steps: 0,
        usage: Usage::default(),
        calls: Vec::new(),
    }
}
