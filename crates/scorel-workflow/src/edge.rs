use serde::{Deserialize, Serialize};

/// A way from one node to another. Its condition is for the model to judge, and is not evaluated.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub label: String,
    #[serde(default)]
    pub is_default: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition_text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition_expr: Option<serde_json::Value>,
}
