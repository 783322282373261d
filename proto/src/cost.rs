//! The cost of model calls.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Usage;

/// The cost of one model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// In millionths of a US dollar, rounded.
    pub micro_usd: u64,
    /// Where the amount comes from.
    pub source: CostSource,
}

/// Where the cost of a model call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// The endpoint reported what it charged.
    Reported,
    /// The tokens at the price in the built-in table, or in the endpoint's list of models.
    Table,
    /// The tokens at the price in the configuration.
    Config,
}

/// The cost of several model calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostTotal {
    /// In millionths of a US dollar: the calls whose cost is known.
    pub micro_usd: u64,
    /// The tokens, input and output, of the calls whose cost is not known; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unpriced: u64,
}

impl CostTotal {
    /// Adds a call that used `usage` and cost `cost`; `None` if that is not known.
    pub const fn add(&mut self, usage: &Usage, cost: Option<Cost>) {
        match cost {
            Some(cost) => self.micro_usd = self.micro_usd.saturating_add(cost.micro_usd),
            None => self.unpriced = self.unpriced.saturating_add(usage.total()),
        }
    }

    /// Returns whether nothing is known to be spent, and nothing is unpriced.
    pub const fn is_zero(&self) -> bool {
        self.micro_usd == 0 && self.unpriced == 0
    }
}

impl AddAssign for CostTotal {
    fn add_assign(&mut self, other: Self) {
        self.micro_usd = self.micro_usd.saturating_add(other.micro_usd);
        self.unpriced = self.unpriced.saturating_add(other.unpriced);
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}
