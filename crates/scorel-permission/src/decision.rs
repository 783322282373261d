//! What is to happen with an action.

use serde::{Deserialize, Serialize};

use crate::Rule;

/// What is to happen with an action, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// It may happen.
    Allow,
    /// A person is asked.
    Ask,
    /// It may not happen, and nobody is asked.
    Deny,
}

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is to happen.
    pub decision: Decision,
    /// Why, as the end of a sentence for a person.
    pub reason: String,
    /// The rule that decided; nothing if none did.
    pub rule: Option<Rule>,
}

impl Verdict {
    pub(crate) fn new(decision: Decision, reason: impl Into<String>) -> Self {
        Self {
            decision,
            reason: reason.into(),
            rule: None,
        }
    }

    pub(crate) fn by(decision: Decision, rule: &Rule) -> Self {
        let verb = match decision {
            Decision::Allow => "allows",
            Decision::Ask => "asks about",
            Decision::Deny => "denies",
        };
        Self {
            decision,
            reason: format!("the rule {rule} {verb} it"),
            rule: Some(rule.clone()),
        }
    }

    /// The stronger of the two; this one if they are equally strong.
    pub(crate) fn or_stronger(self, other: Self) -> Self {
        if other.decision > self.decision {
            other
        } else {
            self
        }
    }
}
