//! The permission gate: rules and grants → decision per effect → permit, request or refusal per call.

mod builtin_rule;
mod findings;
mod gate;
mod grants;
mod hidden_by_rules;
mod hidden_reads;
mod ignored;
mod read_filter;
mod rule;
mod rule_set;
#[cfg(test)]
mod tests;

pub(crate) use builtin_rule::BuiltinRule;
pub(crate) use gate::{CommandPlace, Gate, GateSettings};
pub(crate) use grants::Grants;
pub(crate) use rule::GateRule;
pub(crate) use rule_set::RuleSet;
