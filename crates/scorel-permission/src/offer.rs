//! The rules that an answer would add.

use crate::Rule;

/// The rules that an answer would add; see [`Policy::offer`](crate::Policy::offer).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleOffer {
    pub rules: Vec<Rule>,
    /// True if they are too wide to hold for longer than the session: they allow whatever an
    /// interpreter reads from its standard input.
    pub is_for_session: bool,
}
