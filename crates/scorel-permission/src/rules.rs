//! The three lists of rules.

use serde::{Deserialize, Serialize};

use crate::Rule;

/// The three lists of rules. Their order and the order in them count for nothing: a deny beats an ask,
/// an ask beats an allow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// What may not happen.
    pub deny: Vec<Rule>,
    /// What a person is asked about.
    pub ask: Vec<Rule>,
    /// What may happen.
    pub allow: Vec<Rule>,
}
