use scorel_permission::{BaseDirs, Mode, Policy, Rules};

use super::{BuiltinRule, GateRule};

/// Rules by decision. `deny` overrides `ask`, and `ask` overrides `allow`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSet {
    pub deny: Vec<GateRule>,
    pub ask: Vec<GateRule>,
    pub allow: Vec<GateRule>,
    /// The built-in `ask` rules, which an `allow` rule can lift.
    pub builtin_ask: Vec<BuiltinRule>,
}

impl RuleSet {
    /// These rules plus grants, of the session and permanent ones. A grant that does not parse (the file
    /// may be edited by hand) is logged and skipped: it allows nothing.
    pub fn with_granted<'a>(&self, granted: impl IntoIterator<Item = &'a String>) -> Self {
        let mut rules = self.clone();
        for text in granted {
            match text.parse() {
                Ok(rule) => rules.allow.push(rule),
                Err(error) => tracing::warn!(rule = text, %error, "a grant is not understood"),
            }
        }
        rules
    }

    /// The policy for actions.
    pub fn actions(&self, mode: Mode, dirs: &BaseDirs) -> Policy {
        let mut rules = self.select(|rule| match rule {
            GateRule::Action(rule) => Some(rule.clone()),
            GateRule::Network(_) => None,
        });
        let builtin = self.builtin_ask.iter();
        rules.builtin_ask = builtin.map(|it| it.rule().clone()).collect();
        Policy::new(mode, rules, dirs.clone())
    }

    /// The policy for commands that use the network: no mode allows it, only rules do.
    pub fn network(&self, dirs: &BaseDirs) -> Policy {
        let rules = self.select(|rule| match rule {
            GateRule::Action(_) => None,
            GateRule::Network(rule) => Some(rule.clone()),
        });
        Policy::new(Mode::Ask, rules, dirs.clone())
    }

    fn select(&self, choose: impl Fn(&GateRule) -> Option<scorel_permission::Rule>) -> Rules {
        let choose = |rules: &[GateRule]| rules.iter().filter_map(&choose).collect();
        Rules {
            deny: choose(&self.deny),
            ask: choose(&self.ask),
            allow: choose(&self.allow),
            builtin_ask: Vec::new(),
        }
    }
}
