//! Applying the `in_flight` snapshot of a reload to a view.

use scorel_proto::{CostTotal, InFlight, OpenTurn, Phase, SessionView, TurnId, Usage};

/// Replaces everything open in the view by the snapshot.
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

/// A turn that began before the events this client has. Its counters are unknown and start at zero.
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
        waits: 0,
        usage: Usage::default(),
        cost: CostTotal::default(),
        hooked: 0,
        went_on: 0,
        channel: None,
        calls: Vec::new(),
    }
}
