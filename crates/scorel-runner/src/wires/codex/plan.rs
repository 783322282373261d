use scorel_engine::{PlanEntry, PlanStatus, RunnerEvent};
use serde_json::Value;

use crate::wires::json::{owned, text};

pub(super) fn plan(steps: &Value) -> RunnerEvent {
    let entry = |step: &Value| PlanEntry {
        text: owned(step, "step"),
        status: match text(step, "status") {
            "completed" => PlanStatus::Completed,
            "inProgress" => PlanStatus::InProgress,
            _ => PlanStatus::Pending,
        },
    };
    let steps = steps.as_array().map(Vec::as_slice).unwrap_or_default();
    RunnerEvent::Plan {
        entries: steps.iter().map(entry).collect(),
    }
}
