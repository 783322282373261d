use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::graph::Graph;

/// The head of a run's document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    pub workflow_type: String,
    /// Empty before the first node.
    pub current_node_id: String,
    pub steps_completed: Vec<String>,
    #[serde(default)]
    pub variables: Map<String, Value>,
    #[serde(default)]
    pub decision_log: Vec<RunDecision>,
    #[serde(default)]
    pub artifacts: Vec<String>,
    #[serde(default)]
    pub updated_at: Option<String>,
    #[serde(default)]
    pub run_id: Option<String>,
    /// The project that the run works in.
    #[serde(default)]
    pub project_id: Option<String>,
    /// The package that the run is bound to.
    #[serde(default)]
    pub workflow: Option<BoundWorkflow>,
    #[serde(default)]
    pub active_agent_id: Option<String>,
    #[serde(default)]
    pub autopilot: bool,
}

/// A way that was taken from a node.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunDecision {
    pub from: String,
    pub to: String,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
}

/// A workflow of a package, as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct BoundWorkflow {
    pub id: String,
    pub version: String,
    pub digest: String,
}

impl RunState {
    /// The node that the run is at; before the first, the one that it begins with.
    pub fn node_id<'a>(&'a self, graph: &'a Graph) -> &'a str {
        match self.current_node_id.as_str() {
            "" => &graph.entry().id,
            id => id,
        }
    }
}
