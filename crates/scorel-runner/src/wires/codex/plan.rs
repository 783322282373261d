use scorel_engine::{PlanEntry, PlanStatus, RunnerEvent};
use serde_json::Value;

use crate::wires::json::{elements, owned, text};

pub(super) fn plan(steps: &Value) -> RunnerEvent {
    let entry = |step: &Value| PlanEntry {
        text: owned(step, "step"),
        status: match text(step, "status") {
            "completed" => PlanStatus::Completed,
            "inProgress" => PlanStatus::InProgress,
            _ => PlanStatus::Pending,
        },
    };
    RunnerEvent::Plan {
        entries: elements(steps).iter().map(entry).collect(),
    }
}
