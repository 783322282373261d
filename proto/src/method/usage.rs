use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CostTotal, SessionId, Usage};

/// Parameters of `getUsage`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetUsageParams {
    /// The first day, as `2026-11-22`, in the daemon's time zone; absent: the first there is.
    pub from: Option<String>,
    /// The last day; absent: today.
    pub to: Option<String>,
    /// The unit that each row of the result sums up.
    #[serde(default)]
    pub by: UsageGrouping,
}

/// The unit that each row of a `getUsage` result sums up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageGrouping {
    /// A day in the daemon's time zone.
    #[default]
    Day,
    /// A model.
    Model,
    /// A project.
    Project,
    /// A session. Deleted sessions are one row for each project.
    Session,
}

/// Result of `getUsage`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetUsageResult {
    /// Days in ascending order, everything else by cost, then tokens, the largest first. At most
    /// 1,000.
    pub rows: Vec<UsageRow>,
    /// The sum of all rows, of those as well that did not fit into `rows`.
    pub total: UsageTotal,
    /// The number of rows that did not fit into `rows`; absent if all did.
    pub left_out: Option<u64>,
    /// Sessions whose logs cannot be read, so that calls of theirs may be missing; absent if there
    /// are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<SessionId>,
}

/// One row of a `getUsage` result.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsageRow {
    /// The day, the model, or the id of the project or session. For the deleted sessions of a
    /// project: `deleted:` and the project's id.
    pub key: String,
    /// The name of the project, or the title of the session; absent if there is none.
    pub name: Option<String>,
    /// The sum.
    #[serde(flatten)]
    pub total: UsageTotal,
}

/// The usage and cost of a number of model calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsageTotal {
    /// The number of calls that are in the logs: those that gave an answer, and those that failed
    /// and were charged.
    pub calls: u64,
    /// The tokens used.
    pub usage: Usage,
    /// Their cost.
    pub cost: CostTotal,
}

impl std::ops::AddAssign for UsageTotal {
    fn add_assign(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.usage += other.usage;
        self.cost += other.cost;
    }
}
