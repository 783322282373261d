use scorel_permission::{Rule, RuleError, RuleKind, builtin_ask};
use serde::Deserialize;

/// A rule of `builtinAsk`: about commands, as the built-in ones are.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct BuiltinRule(Rule);

/// Why a text is no such rule.
#[derive(Debug, thiserror::Error)]
pub enum BuiltinRuleError {
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error("`{0}` does not belong here: only rules about commands do, such as `Bash(git push *)`")]
    OtherKind(String),
}

impl BuiltinRule {
    /// The rules that hold if the configuration names none.
    pub fn all() -> Vec<Self> {
        builtin_ask().into_iter().map(Self).collect()
    }

    pub const fn rule(&self) -> &Rule {
        &self.0
    }
}

impl TryFrom<String> for BuiltinRule {
    type Error = BuiltinRuleError;

    fn try_from(text: String) -> Result<Self, BuiltinRuleError> {
        let rule: Rule = text.parse()?;
        if rule.kind() == RuleKind::Bash {
            Ok(Self(rule))
        } else {
            Err(BuiltinRuleError::OtherKind(text))
        }
    }
}
