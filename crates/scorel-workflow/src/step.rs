use serde::{Deserialize, Serialize};

/// Visits of a node, unless its step says another number.
pub const DEFAULT_MAX_VISITS: u64 = 25;

/// The head of a step's file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepSettings {
    pub(crate) node_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) agent_id: Option<String>,
    #[serde(default)]
    pub(crate) transitions: Vec<StepTransition>,
    #[serde(default)]
    input: Option<StepInput>,
    /// Files that must be there, and not be empty, before the node is left.
    #[serde(default)]
    pub required_outputs: Vec<String>,
    #[serde(default)]
    pub tools: StepTools,
    /// Completions of the node in one run, at most.
    #[serde(default = "default_max_visits")]
    pub max_visits: u64,
}

/// A way out of a node, as the step's text tells it. The graph counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct StepTransition {
    pub(crate) to: String,
    pub(crate) label: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StepInput {
    User,
}

/// The tools of a node, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct StepTools {
    /// `None` for all that the run has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    #[serde(default)]
    pub deny: Vec<String>,
}

impl StepSettings {
    /// True if the node waits for a person.
    pub const fn waits_for_person(&self) -> bool {
        matches!(self.input, Some(StepInput::User))
    }
}

impl StepTools {
    /// Returns whether the node may use the tool of this name.
    pub fn allows(&self, name: &str) -> bool {
        may_use(self.allow.as_deref(), &self.deny, name)
    }
}

/// Returns whether a tool may be used, by lists of names and of beginnings of names with `*` behind them. Without
/// `allow` all may that `deny` does not have.
pub fn may_use(allow: Option<&[String]>, deny: &[String], name: &str) -> bool {
    let has = |list: &[String]| {
        list.iter().any(|it| match it.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => it == name,
        })
    };
    allow.is_none_or(has) && !has(deny)
}

const fn default_max_visits() -> u64 {
    DEFAULT_MAX_VISITS
}
