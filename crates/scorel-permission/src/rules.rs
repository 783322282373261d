//! Lists of rules by decision.

use serde::{Deserialize, Serialize};

use crate::Rule;

/// Rules by decision. A deny beats an ask, an ask beats an allow; order does not matter.
///
/// A rule of `builtin_ask` is weaker than one of `ask`: only the mode `workspace` knows it, and an
/// allowing rule that covers nothing else lifts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    pub deny: Vec<Rule>,
    pub ask: Vec<Rule>,
    pub allow: Vec<Rule>,
    pub builtin_ask: Vec<Rule>,
}
