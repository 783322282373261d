//! Decisions about actions.

use serde::{Deserialize, Serialize};

use crate::Rule;

/// The decision about an action. Ordered by strength: of several the maximum counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// The action happens.
    Allow,
    /// The user is asked.
    Ask,
    /// The action does not happen.
    Deny,
}

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyVerdict {
    pub decision: Decision,
    /// For users, without a capital letter or a full stop.
    pub reason: String,
    /// The rule that decided, if one did.
    pub rule: Option<Rule>,
}

impl PolicyVerdict {
    pub(crate) fn new(decision: Decision, reason: impl Into<String>) -> Self {
        Self {
            decision,
            reason: reason.into(),
            rule: None,
        }
    }

    pub(crate) fn ask(reason: impl Into<String>) -> Self {
        Self::new(Decision::Ask, reason)
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

    /// The stronger of two verdicts; the first if they are equal.
    pub(crate) fn or_stronger(self, other: Self) -> Self {
        if other.decision > self.decision {
            other
        } else {
            self
        }
    }
}
