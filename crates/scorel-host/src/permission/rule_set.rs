use scorel_permission::{Mode, Place, Policy, Rules};

use super::GateRule;

/// Rules by what they say. A deny beats an ask, and an ask beats an allow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RuleSet {
    pub(crate) deny: Vec<GateRule>,
    pub(crate) ask: Vec<GateRule>,
    pub(crate) allow: Vec<GateRule>,
}

impl RuleSet {
    /// These rules and what was granted: by the session, and always. A text that is no rule, from a file
    /// that was edited by hand, is logged and left out: it allows nothing.
    pub(crate) fn with_granted<'a>(&self, granted: impl IntoIterator<Item = &'a String>) -> Self {
        let mut rules = self.clone();
        for text in granted {
            match text.parse() {
                Ok(rule) => rules.allow.push(rule),
                Err(error) => tracing::warn!(rule = text, %error, "a grant is not understood"),
            }
        }
        rules
    }

    /// What decides about actions.
    pub(super) fn actions(&self, mode: Mode, place: &Place) -> Policy {
        let rules = self.select(|rule| match rule {
            GateRule::Action(rule) => Some(rule.clone()),
            GateRule::Network(_) => None,
        });
        Policy::new(mode, rules, place.clone())
    }

    /// What decides which commands may use the network. No mode allows that to any.
    pub(super) fn network(&self, place: &Place) -> Policy {
        let rules = self.select(|rule| match rule {
            GateRule::Action(_) => None,
            GateRule::Network(rule) => Some(rule.clone()),
        });
        Policy::new(Mode::Workspace, rules, place.clone())
    }

    fn select(&self, choose: impl Fn(&GateRule) -> Option<scorel_permission::Rule>) -> Rules {
        let choose = |rules: &[GateRule]| rules.iter().filter_map(&choose).collect();
        Rules {
            deny: choose(&self.deny),
            ask: choose(&self.ask),
            allow: choose(&self.allow),
        }
    }
}
