use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::run_state::{RunDecision, RunState};

/// A change of a run's state: lists grow, variables and the node are set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct StateUpdate {
    pub steps_completed: Option<Append<String>>,
    pub variables: Option<Set<Map<String, Value>>>,
    pub decision_log: Option<Append<RunDecision>>,
    pub artifacts: Option<Append<String>>,
    pub current_node_id: Option<Set<String>>,
    /// Taken, and replaced by the time of the change.
    pub updated_at: Option<Set<String>>,
}

/// Items that are added to a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Append<T> {
    pub append: Vec<T>,
}

/// A value that takes the place of another; of variables, each that is named.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set<T> {
    pub set: T,
}

impl StateUpdate {
    /// The fields that change, with their new values.
    pub(crate) fn changes(&self, state: &RunState) -> Vec<(&'static str, Value)> {
        let mut changes = Vec::new();
        if let Some(Append { append }) = &self.steps_completed {
            let completed = [state.steps_completed.as_slice(), append.as_slice()].concat();
            changes.push(("stepsCompleted", json!(completed)));
        }
        if let Some(Set { set }) = &self.variables {
            let mut variables = state.variables.clone();
            variables.extend(set.clone());
            changes.push(("variables", Value::Object(variables)));
        }
        if let Some(Append { append }) = &self.decision_log {
            let decisions = [state.decision_log.as_slice(), append.as_slice()].concat();
            changes.push(("decisionLog", json!(decisions)));
        }
        if let Some(Append { append }) = &self.artifacts {
            let artifacts = [state.artifacts.as_slice(), append.as_slice()].concat();
            changes.push(("artifacts", json!(artifacts)));
        }
        if let Some(Set { set }) = &self.current_node_id {
            changes.push(("currentNodeId", json!(set)));
        }
        changes
    }
}
