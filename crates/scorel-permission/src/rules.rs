//! Lists of rules by decision.

use serde::{Deserialize, Serialize};

use crate::Rule;

/// Rules by decision. A deny beats an ask, an ask beats an allow; order does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    pub deny: Vec<Rule>,
    pub ask: Vec<Rule>,
    pub allow: Vec<Rule>,
}
