use std::fmt;
use std::str::FromStr;

use scorel_permission::{Rule, RuleError};
use serde::Deserialize;

/// The name of rules about commands that use the network.
const NETWORK: &str = "Network";

/// The name of rules about commands: a `Network` rule has the same pattern syntax, so it is parsed as
/// one of these.
const COMMAND: &str = "Bash";

/// A rule as written in configuration files and in `grants.json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum GateRule {
    /// About a tool's effect.
    Action(Rule),
    /// `Network(cargo fetch *)`: about commands that use the network.
    Network(Rule),
}

impl FromStr for GateRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let pattern = text.trim().strip_prefix(NETWORK);
        match pattern.filter(|rest| rest.is_empty() || rest.starts_with('(')) {
            Some(pattern) => match format!("{COMMAND}{pattern}").parse() {
                Ok(rule) => Ok(Self::Network(rule)),
                Err(error) => Err(RuleError {
                    position: error.position + NETWORK.len() - COMMAND.len(),
                    ..error
                }),
            },
            None => text.parse().map(Self::Action),
        }
    }
}

impl TryFrom<String> for GateRule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

impl fmt::Display for GateRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action(rule) => write!(f, "{rule}"),
            Self::Network(rule) => {
                let pattern = rule.as_str().strip_prefix(COMMAND).unwrap_or_default();
                write!(f, "{NETWORK}{pattern}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_written_as_they_were_read() {
        for text in [
            "Bash(git log *)",
            "Network(cargo fetch)",
            "Network",
            "Read(src/**)",
        ] {
            let rule: GateRule = text.parse().unwrap();
            assert_eq!(rule.to_string(), text);
            assert_eq!(
                matches!(rule, GateRule::Network(_)),
                text.starts_with("Net")
            );
        }
    }

    #[test]
    fn an_error_has_its_place_in_what_was_written() {
        let error = "Network(cargo fetch".parse::<GateRule>().unwrap_err();
        assert_eq!(error.position, "Network(cargo fetch".len());
        assert!("Networks(x)".parse::<GateRule>().is_err());
    }
}
